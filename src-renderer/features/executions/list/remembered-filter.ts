// The filter with which the list was last looked at, by project: coming back without one leads to it.

import { useEffect, useEffectEvent, useRef } from 'react'
import { usePreferences } from '../../../stores/preferences.ts'
import { filterFromText, filterOf, isFiltered, type ListFilter, type Search, textOf } from './search-filter.ts'
import type { UrlFilter } from './use-url-filter.ts'

type SetFilter = UrlFilter['setFilter']

const DEFAULT = 'default'

/** For an arrival at the list with this search; undefined when that says what it wants, or there is none. */
export const rememberedFilter = (search: Search): ListFilter | undefined => {
  const { projectId, executionSearch } = usePreferences.getState()
  const remembered = filterFromText(executionSearch[projectId ?? DEFAULT] ?? '')
  return isFiltered(filterOf(search)) || !isFiltered(remembered) ? undefined : remembered
}

/** Remembers it; another project's takes its place when that is chosen. */
export const useRememberedFilter = (projectId: string | null, filter: ListFilter, setFilter: SetFilter): void => {
  const text = textOf(filter)
  const project = useRef(projectId)
  const follow = useEffectEvent(() => setFilter(rememberedFilter({}) ?? {}, true))
  useEffect(() => {
    if (project.current !== projectId) {
      project.current = projectId
      return follow()
    }
    usePreferences.setState(({ executionSearch }) => ({
      executionSearch: { ...executionSearch, [projectId ?? DEFAULT]: text },
    }))
  }, [projectId, text])
}
