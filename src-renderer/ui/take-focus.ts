/** Moves the focus to a field that has loaded, unless the user has moved it in the dialog meanwhile. */
export const takeFocus = (field: HTMLElement | null | undefined): void => {
  const focused = document.activeElement
  if (focused !== document.body && focused?.matches('[role="dialog"]') !== true) return
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
}
