// What Executions wait for, and failures grouped by cause.

import { pagedListQuery } from './paged-list.ts'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

export const waitingQuery = (scope: Scope) =>
  pagedListQuery(queryKey(scope, 'waiting'), (page, signal) => scope.until(signal).client.listWaiting(page))

export const errorsQuery = (scope: Scope) =>
  pagedListQuery(queryKey(scope, 'errors'), (page, signal) => scope.until(signal).client.listErrors(page))
