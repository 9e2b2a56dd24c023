/** Moves the focus to a field that has loaded, unless the user has moved it in the dialog meanwhile. */
export const takeFocus = (field: HTMLElement | null | undefined): void => {
  if (document.activeElement?.parentElement?.closest('[role="dialog"]')) return
  // At once, because keys that were typed meanwhile replace what is selected then.
  if (field instanceof HTMLInputElement) field.addEventListener('focus', () => field.select(), { once: true })
  field?.focus()
}
