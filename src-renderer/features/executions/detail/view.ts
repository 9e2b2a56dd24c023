// The view of an Execution as its address says: tab, selected entry, filters.

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

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')

const textOf = (value: unknown): string | undefined => textsOf(value)[0]

const listOf = (value: unknown): readonly string[] | undefined => {
  const texts = textsOf(value)
  return texts.length === 0 ? undefined : texts
}

const positionOf = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value : Number(textOf(value))
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Invalid parameters are undefined. */
export const readView = (search: Readonly<Record<string, unknown>>): ExecutionView => ({
  tab: EXECUTION_TABS.find((tab) => tab === textOf(search['tab'])),
  entry: positionOf(search['entry']),
  q: textOf(search['q']),
  name: textOf(search['name']),
  view: textOf(search['view']),
  data: textOf(search['data']),
  type: listOf(search['type']),
  level: listOf(search['level']),
})
