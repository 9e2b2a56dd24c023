// Keeps the user where a secret is about to be shown. The service tells it once: whoever closes before the answer loses it.

import { useBlocker } from '@tanstack/react-router'

/** Answers `close`, which does nothing while the secret is awaited. Nor can the screen be left until then. */
export const useStayWhile = (isAwaited: boolean, close: () => void): (() => void) => {
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: isAwaited, disabled: !isAwaited })
  return () => {
    if (!isAwaited) close()
  }
}
