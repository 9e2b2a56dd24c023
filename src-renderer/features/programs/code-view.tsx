// Read-only code, alone or as a diff. Loaded when first shown.

import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { goToNextChunk, goToPreviousChunk, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, ViewPlugin } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeLook, createCodeView, drawHiddenIn } from '../../parts/json/code-surface.ts'

export type CodeViewProps = {
  readonly label: string
  readonly name: string
  readonly text: string
  /** The older text; when given, the view is a diff. */
  readonly before?: string | undefined
}

/** The tint keeps the contrast of the code's colours; the underline does not depend on colour. */
const marked = (fill: string) => ({
  background: `color-mix(in oklch, ${fill} 7%, transparent)`,
  boxShadow: `inset 0 -1px 0 ${fill}`,
})

const diffLook = EditorView.theme({
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-completed-wash)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--color-failed-wash)', paddingLeft: '6px' },
  '&.cm-merge-b .cm-changedText, &.cm-merge-b .cm-insertedLine .cm-changedText': marked('var(--color-completed-fill)'),
  '.cm-deletedChunk .cm-deletedText': marked('var(--color-failed-fill)'),
  '.cm-changedLineGutter': { background: 'var(--color-completed-fill)' },
  '.cm-deletedLineGutter': { background: 'var(--color-failed-fill)' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-soft)',
    padding: '2px 8px',
    // Most systems' fonts lack the library's own character (U+299A).
    '&:before, &:after': { content: '"⋯"' },
  },
  // Here no background is left. The page's own styles do not reach into the editor.
  '@media (forced-colors: active)': {
    '.cm-deletedChunk': { textDecoration: 'line-through' },
    '.cm-changedLineGutter, .cm-deletedLineGutter': { forcedColorAdjust: 'none' },
  },
})

/** Deleted lines are no text of the editor, which draws hidden characters in its own text only. */
const deletedLook = ViewPlugin.define((view) => {
  const draw = () =>
    view.requestMeasure({
      key: draw,
      read: () => [...view.contentDOM.querySelectorAll('.cm-deletedChunk')],
      write: (chunks) => chunks.forEach(drawHiddenIn),
    })
  draw()
  return { update: draw }
})

const languageOf = (name: string): Extension =>
  name.endsWith('.json') ? json() : javascript({ typescript: /\.[cm]?tsx?$/.test(name), jsx: name.endsWith('x') })

export const CodeView = ({ label, name, text, before }: CodeViewProps) => {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (host.current === null) return undefined
    const place = document.createElement('div')
    place.className = 'h-full'
    host.current.append(place)
    const view = createCodeView(place, {
      doc: text,
      extensions: [
        lineNumbers(),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
        EditorView.lineWrapping,
        languageOf(name),
        codeLook,
        diffLook,
        keymap.of([
          { key: 'n', run: goToNextChunk },
          { key: 'p', run: goToPreviousChunk },
        ]),
        before === undefined
          ? []
          : [
              unifiedMergeView({
                original: before,
                mergeControls: false,
                collapseUnchanged: { margin: 4, minSize: 8 },
              }),
              deletedLook,
            ],
      ],
    })
    return () => {
      view.destroy()
      place.remove()
    }
  }, [label, name, text, before])
  return <div ref={host} className="min-h-0 flex-1 overflow-hidden" />
}
