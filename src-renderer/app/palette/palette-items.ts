// What the palette offers, and in which order. Pure: what an item does is passed in.

import type { LucideIcon } from 'lucide-react'
import { fit, type Fit } from './fuzzy.ts'

export type PaletteItem = {
  /** Unique within the palette. */
  readonly id: string
  readonly label: string
  /** Beside the label, softer. */
  readonly detail?: string | undefined
  /** Other words that it is found by. */
  readonly words?: string | undefined
  readonly Icon: LucideIcon
  /** The keys that do the same without the palette. */
  readonly shortcut?: string | undefined
  /** Why it cannot be done now. */
  readonly disabledReason?: string | undefined
  readonly run: () => void
}

export type PaletteGroup = {
  readonly label: string
  readonly items: readonly PaletteItem[]
  /** Shown as they are: what the service found fits already. */
  readonly isFound?: boolean
  /** Of those, how many show while nothing is typed. */
  readonly atFirst?: number
}

export type ShownItem = PaletteItem & { readonly places: readonly number[] }
export type ShownGroup = { readonly label: string; readonly items: readonly ShownItem[] }

const MOST_OF_A_GROUP = 8

/** Groups with what fits best first; a group comes where its best item stands. */
export const shownGroups = (groups: readonly PaletteGroup[], query: string): readonly ShownGroup[] => {
  const isTyped = query.trim() !== ''
  return groups
    .map((group) => ({ label: group.label, ...fitting(group, query, isTyped) }))
    .filter(({ items }) => items.length > 0)
    .toSorted((one, other) => (isTyped ? other.best - one.best : 0))
    .map(({ label, items }) => ({ label, items }))
}

const fitting = (
  { items, isFound = false, atFirst = MOST_OF_A_GROUP }: PaletteGroup,
  query: string,
  isTyped: boolean,
): { readonly items: readonly ShownItem[]; readonly best: number } => {
  if (!isTyped) return { items: items.slice(0, atFirst).map((item) => ({ ...item, places: [] })), best: 0 }
  if (isFound) {
    return { items: items.map((item) => ({ ...item, places: [] })), best: items.length === 0 ? -Infinity : FOUND_SCORE }
  }
  const ranked = items
    .flatMap((item) => {
      const found = bestFit(item, query)
      return found === undefined ? [] : [{ item: { ...item, places: found.places }, score: found.score }]
    })
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MOST_OF_A_GROUP)
  return { items: ranked.map(({ item }) => item), best: ranked[0]?.score ?? -Infinity }
}

/** Behind what begins with the query, before what only holds its letters. */
const FOUND_SCORE = 70
/** Another word is not what is seen: it counts from its beginning only. */
const OTHER_WORD_SCORE = 60

const bestFit = (item: PaletteItem, query: string): Fit | undefined => {
  const own = fit(query, item.label)
  const typed = query.trim().toLowerCase()
  const isOther =
    item.words
      ?.toLowerCase()
      .split(' ')
      .some((word) => word.startsWith(typed)) === true
  return isOther && (own === undefined || own.score < OTHER_WORD_SCORE) ? { score: OTHER_WORD_SCORE, places: [] } : own
}
