import { useQueryClient } from '@tanstack/react-query'
import { environmentQuery } from '../../api/account-queries.ts'
import { projectOf, useScope } from '../../api/scope.ts'
import { plural } from '../../parts/format.ts'
import { notify } from '../../ui/toasts.tsx'

/** Sets values, all or none. The answer has names only. */
export const useSetVariables = (): ((set: ReadonlyMap<string, string>) => Promise<void>) => {
  const scope = useScope()
  const queries = useQueryClient()
  return async (set) => {
    const { items } = await scope.client.changeEnvironment(projectOf(scope), {
      set: Object.fromEntries(set),
    })
    queries.setQueryData(environmentQuery(scope).queryKey, items)
    const [only] = set.keys()
    const done = set.size === 1 ? `${only} set` : `${plural(set.size, 'variable')} set`
    notify(done, { detail: WHEN_IT_APPLIES, place: scope.connection })
  }
}

export const WHEN_IT_APPLIES = 'Applies to effects that start at least 5 seconds from now.'
