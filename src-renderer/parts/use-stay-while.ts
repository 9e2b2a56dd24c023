// Keeps the user where a secret is about to be shown. The service tells it once: whoever closes before the answer loses it.

import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** A service that is silent for longer may never answer. */
const LONGEST_STAY_MS = 30_000

/**
 * Answers `close`, which does nothing while the secret is awaited, for at most half a minute. Nor can the screen be left
 * until then.
 */
export const useStayWhile = (isAwaited: boolean, close: () => void): (() => void) => {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isAwaited) return undefined
    const timer = setTimeout(() => setLate(true), LONGEST_STAY_MS)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isAwaited])
  const stays = isAwaited && !isLate
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: stays, disabled: !stays })
  return () => {
    if (!stays) close()
  }
}
