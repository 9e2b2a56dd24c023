// Which faults the form shows at its fields. Some have no field, as of a member that the schema does not name.

import { createContext, use, useCallback, useLayoutEffect, useState } from 'react'

type Report = (path: string) => () => void

/** How many fields show a fault, by path. */
type Shown = ReadonlyMap<string, number>

export const FaultsAtFields = createContext<Report>(() => () => {})

const withOneMore = (shown: Shown, path: string, more: 1 | -1): Shown =>
  new Map(shown).set(path, (shown.get(path) ?? 0) + more)

export const useFaultsAtFields = (): { readonly isAtField: (path: string) => boolean; readonly report: Report } => {
  const [shown, setShown] = useState<Shown>(new Map())
  const report = useCallback((path: string) => {
    setShown((now) => withOneMore(now, path, 1))
    return () => setShown((now) => withOneMore(now, path, -1))
  }, [])
  return { isAtField: (path) => (shown.get(path) ?? 0) > 0, report }
}

/** Says that a field shows its faults, while there are any. */
export const useReportFaults = (path: string, isFaulty: boolean): void => {
  const report = use(FaultsAtFields)
  useLayoutEffect(() => (isFaulty ? report(path) : undefined), [report, path, isFaulty])
}
