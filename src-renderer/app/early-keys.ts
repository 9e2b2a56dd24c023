// Keeps what the user types between the request for a dialog and its first field, and then types it there.

/**
 * Call it when a dialog is requested. Ends by itself when the focus is in the dialog. Returns a function that ends it
 * and forgets the keys. Escape calls `close`.
 */
export const keepEarlyKeys = (close: () => void): (() => void) => {
  let typed = ''
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || event.isComposing || event.repeat) return
    if (key === 'Backspace') typed = typed.slice(0, -1)
    else if (key.length === 1) typed += key
    else if (key === 'Escape') close()
    else return
    event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent) => {
    // The dialog itself has the focus while it loads.
    if (!(target instanceof HTMLElement) || target.matches(DIALOG) || target.closest(DIALOG) === null) return
    end()
    // Replaces what is selected in the field, and tells the field, like keys do.
    // oxlint-disable-next-line typescript/no-deprecated -- nothing else types into inputs and editors alike
    if (typed !== '' && target.matches(WRITTEN_IN)) document.execCommand('insertText', false, typed)
  }
  const end = () => {
    document.removeEventListener('keydown', onKeyDown, { capture: true })
    document.removeEventListener('focusin', onFocus)
  }
  document.addEventListener('keydown', onKeyDown, { capture: true })
  document.addEventListener('focusin', onFocus)
  return end
}

const DIALOG = '[role="dialog"]'
const WRITTEN_IN = 'textarea, [contenteditable="true"], input:not([type="checkbox"], [type="radio"])'
