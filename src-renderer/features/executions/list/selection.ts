// The selection: Executions by id, or all that match the filter at the time of use.

export type Selection = { readonly kind: 'rows'; readonly ids: ReadonlySet<string> } | { readonly kind: 'all' }

export const NOTHING: Selection = { kind: 'rows', ids: new Set() }

export const isSelected = (selection: Selection, id: string): boolean =>
  selection.kind === 'all' || selection.ids.has(id)

export const isEmpty = (selection: Selection): boolean => selection.kind === 'rows' && selection.ids.size === 0

/** Single rows cannot be selected while all matches are. */
export const toggled = (selection: Selection, id: string): Selection => {
  if (selection.kind === 'all') return selection
  const ids = new Set(selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { kind: 'rows', ids }
}

/** A range is selected or cleared, like the row at its end. */
export const withRange = (selection: Selection, range: readonly string[], chosen: boolean): Selection => {
  if (selection.kind === 'all') return selection
  const ids = new Set(selection.ids)
  for (const id of range) {
    if (chosen) ids.add(id)
    else ids.delete(id)
  }
  return { kind: 'rows', ids }
}
