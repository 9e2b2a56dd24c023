// What a list shows while it loads with another filter: what it showed before, of the same connection and project.

import type { QueryKey } from '@tanstack/react-query'
import { queryKey } from './query-keys.ts'
import type { Scope } from './scope.ts'

type Place = Pick<Scope, 'connection' | 'projectId'>

/** For `placeholderData`. Data of another connection or project is never shown as the data of this one. */
export const keptData =
  (place: Place) =>
  <Data>(data: Data | undefined, query: { readonly queryKey: QueryKey } | undefined): Data | undefined => {
    const [connectionId, projectId] = queryKey(place, 'projects')
    return query?.queryKey[0] === connectionId && query.queryKey[1] === projectId ? data : undefined
  }
