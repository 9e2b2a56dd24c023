// Shared by everything that lists keys.

import type { FilterParameters } from './execution-filter.ts'
import type { Slices, Span } from './slices.ts'

/** Keys of up to `count` matching Executions, newest first. */
export type ListKeys = (
  filter: FilterParameters,
  range: Span,
  count: number,
  slices: Slices,
) => Promise<readonly number[]>

/** Parameters of every statement that lists keys. */
export type ListParameters = FilterParameters & Span & { readonly count: number }

/** A count without a limit; SQLite needs an integer. */
export const ALL = Number.MAX_SAFE_INTEGER

/** Lists may overlap. */
export const newestOf = (lists: readonly (readonly number[])[], count: number): readonly number[] => {
  const some = lists.filter((list) => list.length > 0)
  const keys = some.length === 1 ? some[0]! : [...new Set(some.flat())].sort(descending)
  return keys.slice(0, count)
}

export const descending = (one: number, other: number): number => other - one
