// The view of an Execution as its address says: tab, selected entry, filters.

import { one, oneOf, positiveInteger, type Search } from '../../../parts/search-parameters.ts'
import { EXECUTION_TABS, type ExecutionTab } from '../../../paths.ts'

export type ExecutionView = {
  readonly tab?: ExecutionTab | undefined
  /** The position of the selected history entry. */
  readonly entry?: number | undefined
  readonly q?: string | undefined
  readonly name?: string | undefined
  readonly view?: string | undefined
  readonly data?: string | undefined
  readonly type?: readonly string[] | undefined
  readonly level?: readonly string[] | undefined
}

const listOf = (value: unknown): readonly string[] | undefined => {
  const texts = [value].flat().filter((one) => typeof one === 'string')
  return texts.length === 0 ? undefined : texts
}

/** Invalid parameters are undefined. */
export const readView = (search: Search): ExecutionView => ({
  tab: oneOf(search, 'tab', EXECUTION_TABS),
  entry: positiveInteger(one(search, 'entry')),
  q: one(search, 'q'),
  name: one(search, 'name'),
  view: one(search, 'view'),
  data: one(search, 'data'),
  type: listOf(search['type']),
  level: listOf(search['level']),
})
