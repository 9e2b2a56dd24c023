// Replaces a selection in CodeMirror when the user types. By default, the browser copies the old look into style
// attributes, which the page's CSP refuses.

import { EditorView } from '@codemirror/view'

export const typeOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event
    const { from, to } = selected(view)
    if (inputType !== 'insertText' || data === null || from === to) return false
    // Typing a bracket replaces the selection instead of enclosing it.
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + data.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    event.preventDefault()
    return true
  },
})

/** The document's selection, which is ahead of the editor's state. Only some browsers report it in a shadow root. */
const selected = (view: EditorView): { readonly from: number; readonly to: number } => {
  const { root } = view as { readonly root: { readonly getSelection?: () => Selection | null } }
  const selection = root.getSelection?.()
  const { anchorNode, focusNode, anchorOffset, focusOffset } = selection ?? {}
  if (!anchorNode || !focusNode || !view.contentDOM.contains(anchorNode) || !view.contentDOM.contains(focusNode)) {
    return view.state.selection.main
  }
  const anchor = view.posAtDOM(anchorNode, anchorOffset)
  const head = view.posAtDOM(focusNode, focusOffset)
  return { from: Math.min(anchor, head), to: Math.max(anchor, head) }
}
