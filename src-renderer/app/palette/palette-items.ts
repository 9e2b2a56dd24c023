// The palette's items and their order. Pure: actions are passed in.

import type { LucideIcon } from 'lucide-react'
import { fit, type Fit } from './fuzzy.ts'

export type PaletteItem = {
  /** Unique within the palette. */
  readonly id: string
  readonly label: string
  /** Secondary text beside the label. */
  readonly detail?: string | undefined
  /** Other words that find it. */
  readonly words?: string | undefined
  readonly Icon: LucideIcon
  /** The shortcut that does the same without the palette. */
  readonly shortcut?: string | undefined
  /** Why it is disabled now. */
  readonly disabledReason?: string | undefined
  readonly run: () => void
}

export type PaletteGroup = {
  readonly label: string
  readonly items: readonly PaletteItem[]
  /** Not filtered here: the service has already matched these items. */
  readonly isFound?: boolean
  /** How many items to show for an empty query. */
  readonly atFirst?: number
}

export type ShownItem = PaletteItem & { readonly places: readonly number[] }
export type ShownGroup = { readonly label: string; readonly items: readonly ShownItem[] }

const MOST_OF_A_GROUP = 8

/** Sorts items by score; groups are sorted by their best item. */
export const shownGroups = (groups: readonly PaletteGroup[], query: string): readonly ShownGroup[] => {
  const isTyped = query.trim() !== ''
  return groups
    .map((group) => ({ label: group.label, ...fitting(group, query, isTyped) }))
    .filter(({ items }) => items.length > 0)
    .toSorted((one, other) => (isTyped ? other.best - one.best : 0))
    .map(({ label, items }) => ({ label, items }))
}

/** The rows as they are shown, with what is known of each item now. Items that are gone stay; new ones come when the user types. */
export const inPlace = (shown: readonly ShownGroup[], groups: readonly PaletteGroup[]): readonly ShownGroup[] => {
  const now = new Map(groups.flatMap(({ items }) => items.map((item) => [item.id, item])))
  return shown.map(({ label, items }) => ({
    label,
    items: items.map((item) => ({ ...item, ...now.get(item.id), places: item.places })),
  }))
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

/** Ranks after a text that begins with the query, and before one that only contains its letters. */
const FOUND_SCORE = 70
/** The user does not see these words, so only their beginnings match. */
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
