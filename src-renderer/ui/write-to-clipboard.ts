// Puts a text on the clipboard. Over plain HTTP under a name, a browser gives a page no `navigator.clipboard`, but still
// lets it fill what its own copy command takes.

/** Rejects where the browser refuses. Call it soon after a click or a key. */
export const writeToClipboard = async (text: string): Promise<void> => {
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard !== undefined) return clipboard.writeText(text)
  let isFilled = false
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isFilled = true
  }
  // Before the listener that looks at the selection.
  window.addEventListener('copy', fill, { capture: true })
  // oxlint-disable-next-line typescript/no-deprecated -- all browsers have it, and nothing else works here
  document.execCommand('copy')
  window.removeEventListener('copy', fill, { capture: true })
  if (!isFilled) throw new Error('The browser refused to copy')
}
