// Runs an action that takes or answers a secret. A mutation would keep both in the page's cache.

import { useRef, useState } from 'react'
import { failureOf, untitledWordsOf } from '../api/failures.ts'

export type PrivateAct = {
  readonly isBusy: boolean
  /** Why the last one failed. */
  readonly fault: string | undefined
  /** Resolves with whether it succeeded. One at a time: a second one does not begin. */
  readonly run: (act: () => Promise<void>) => Promise<boolean>
}

const NO_ANSWER = 'Check whether it was done before you try again.'

export const usePrivateAct = (): PrivateAct => {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const busy = useRef(false)
  const run = async (act: () => Promise<void>): Promise<boolean> => {
    if (busy.current) return false
    busy.current = true
    setBusy(true)
    setFault(undefined)
    try {
      await act()
      return true
    } catch (error) {
      setFault(untitledWordsOf(failureOf(error), NO_ANSWER))
      return false
    } finally {
      busy.current = false
      setBusy(false)
    }
  }
  return { isBusy, fault, run }
}
