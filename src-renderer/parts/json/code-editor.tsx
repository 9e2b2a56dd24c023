// The code editor. CodeMirror is loaded with this chunk.

import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from '@codemirror/view'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { JsonSchema } from '#sdk/index.ts'
import { takeFocus } from '../../ui/take-focus.ts'
import { codeLook, createCodeView, keepTypingInside } from './code-surface.ts'
import { reindent } from './draft.ts'
import { faultsFacet, jsonFaults, jsonLanguage } from './json-language.ts'
import type { SchemaFault } from './schema-check.ts'
import { typeOver } from './type-over.ts'

export type CodeEditorProps = {
  /** The accessible name. */
  readonly label: string
  readonly description?: string | undefined
  readonly text: string
  /** The default is a read-only editor. */
  readonly onChange?: ((text: string) => void) | undefined
  readonly schema?: JsonSchema | undefined
  readonly faults?: readonly SchemaFault[] | undefined
  readonly placeholder?: string | undefined
  readonly takesFocus?: boolean | undefined
  /** A range to select and scroll to. */
  readonly selection?: { readonly from: number; readonly to: number } | undefined
}

/** Characters. Parsing more would freeze the page. */
const LARGEST_COLOURED = 100_000

const NO_FAULTS: readonly SchemaFault[] = []

export const CodeEditor = ({
  label,
  description,
  text,
  onChange,
  schema,
  faults = NO_FAULTS,
  placeholder,
  takesFocus = false,
  selection,
}: CodeEditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const parts = useRef({ names: new Compartment(), language: new Compartment(), faults: new Compartment() })
  // Synchronously, because the next key may submit the value.
  const changed = useEffectEvent((next: string) => {
    if (next !== text) flushSync(() => onChange?.(next))
  })
  const isReadOnly = onChange === undefined
  const isLarge = text.length > LARGEST_COLOURED

  const names = () => namesOf(label, description, isReadOnly, faults.length > 0)
  const create = useEffectEvent((element: HTMLElement) => {
    const { current } = parts
    const created = createCodeView(element, {
      state: EditorState.create({
        doc: text,
        extensions: [
          isReadOnly ? reading : writing,
          both,
          placeholder === undefined ? [] : placeholderText(placeholder),
          current.names.of(names()),
          current.language.of(isLarge ? [] : jsonLanguage(schema)),
          current.faults.of(faultsFacet.of(faults)),
          EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
        ],
      }),
    })
    if (takesFocus) takeFocus(created.contentDOM)
    return created
  })
  useEffect(() => {
    const element = host.current!
    const created = create(element)
    view.current = created
    element.addEventListener('keydown', keepTypingInside)
    return () => {
      element.removeEventListener('keydown', keepTypingInside)
      view.current = undefined
      created.destroy()
    }
  }, [])

  // With the page's change, because a key that comes in between would be typed into the old text.
  useLayoutEffect(() => {
    const { current } = view
    if (current === undefined || current.state.doc.toString() === text) return
    const { doc, selection: selected } = current.state
    const insert = current.state.toText(text)
    // If all was selected, to be typed over, all stays selected.
    const all = doc.length > 0 && selected.main.from === 0 && selected.main.to === doc.length
    current.dispatch({
      changes: { from: 0, to: doc.length, insert },
      ...(all && { selection: { anchor: 0, head: insert.length } }),
    })
  }, [text])
  useEffect(() => {
    const language = isLarge ? [] : jsonLanguage(schema)
    view.current?.dispatch({ effects: parts.current.language.reconfigure(language) })
  }, [schema, isLarge])
  useEffect(() => {
    const { current } = parts
    view.current?.dispatch({
      effects: [
        current.faults.reconfigure(faultsFacet.of(faults)),
        current.names.reconfigure(namesOf(label, description, isReadOnly, faults.length > 0)),
      ],
    })
  }, [label, description, isReadOnly, faults])
  useEffect(() => {
    if (selection === undefined || view.current === undefined) return
    const length = view.current.state.doc.length
    view.current.dispatch({
      selection: { anchor: Math.min(selection.from, length), head: Math.min(selection.to, length) },
      scrollIntoView: true,
    })
  }, [selection])

  return <div ref={host} className="h-full min-h-0 overflow-hidden" />
}

const namesOf = (label: string, description: string | undefined, isReadOnly: boolean, isInvalid: boolean): Extension =>
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-multiline': 'true',
    ...(description !== undefined && { 'aria-description': description }),
    tabindex: '0',
    ...(isReadOnly && { 'aria-readonly': 'true' }),
    ...(isInvalid && { 'aria-invalid': 'true' }),
  })

const both: Extension = [
  lineNumbers(),
  EditorView.lineWrapping,
  foldGutter({ openText: '▾', closedText: '▸' }),
  drawSelection(),
  bracketMatching(),
  highlightActiveLineGutter(),
  codeLook,
]

const reading: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false), keymap.of(foldKeymap)]

const format = (view: EditorView): boolean => {
  const text = view.state.doc.toString()
  try {
    JSON.parse(text)
  } catch {
    return true
  }
  view.dispatch({ changes: { from: 0, to: text.length, insert: reindent(text) }, userEvent: 'input.format' })
  return true
}

/** Escape closes the suggestions, but not the dialog. */
const escapeOnce = Prec.highest(
  EditorView.domEventHandlers({
    keydown: (event, view) => {
      if (event.key === 'Escape' && completionStatus(view.state) !== null) event.stopPropagation()
      return false
    },
  }),
)

const writing: Extension = [
  history(),
  closeBrackets(),
  indentOnInput(),
  highlightActiveLine(),
  jsonFaults,
  escapeOnce,
  typeOver,
  keymap.of([
    // Tab leaves the editor, as on the rest of the page; it accepts a suggestion only while suggestions are open.
    { key: 'Tab', run: acceptCompletion },
    { key: 'Shift-Alt-f', run: format },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...historyKeymap,
    ...foldKeymap,
    // Ctrl/Cmd+Enter submits the dialog.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
  ]),
]
