// What Executions wait for, and failures grouped by cause.

import { queryOptions } from '@tanstack/react-query'
import { queryKey } from './query-keys.ts'
import { whole } from './queries.ts'
import type { Scope } from './scope.ts'

export const waitingQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'waiting'),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).client.listWaiting(page)),
  })

export const errorsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'errors'),
    queryFn: ({ signal }) => whole((page) => scope.until(signal).client.listErrors(page)),
  })
