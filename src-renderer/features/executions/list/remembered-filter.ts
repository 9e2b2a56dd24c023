// The last filter of a project's list. The rail's link uses it; it never changes what an address shows.

import { useEffect } from 'react'
import { keptUnder } from '../../../stores/kept-under.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { filterFromText, type ListFilter, textOf } from './search-filter.ts'

/** As the address names them. */
export type Place = { readonly connection: string; readonly project: string }

const keyOf = ({ connection, project }: Place): string => `${keptUnder(connection)}/${project}`

export const rememberedFilter = (place: Place): ListFilter =>
  filterFromText(usePreferences.getState().executionSearch[keyOf(place)] ?? '')

export const useRememberedFilter = (place: Place): ListFilter => {
  const text = usePreferences((preferences) => preferences.executionSearch[keyOf(place)] ?? '')
  return filterFromText(text)
}

export const useRememberFilter = (place: Place, filter: ListFilter): void => {
  const key = keyOf(place)
  const text = textOf(filter)
  useEffect(() => {
    usePreferences.setState(({ executionSearch }) => ({ executionSearch: { ...executionSearch, [key]: text } }))
  }, [key, text])
}
