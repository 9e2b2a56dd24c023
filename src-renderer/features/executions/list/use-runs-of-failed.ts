import { useQuery } from '@tanstack/react-query'
import type { Place } from '../../../api/executions-query.ts'
import { keptData } from '../../../api/kept-data.ts'
import { type RunsById, runsAgainQuery } from '../../../api/runs-again-query.ts'
import type { Pages } from './use-list.ts'

/** What ran the failed Executions of these pages again. */
export const useRunsOfFailed = ({ scope, filter }: Place, pages: Pages): RunsById | undefined => {
  const failed = [...pages.values()].flatMap(({ items }) => items.filter(({ status }) => status === 'failed'))
  const ids = failed.map(({ id }) => id)
  const query = runsAgainQuery(scope, ids, filter.programId ?? null)
  return useQuery({ ...query, placeholderData: keptData(scope) }).data
}
