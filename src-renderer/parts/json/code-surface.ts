// Mounts CodeMirror in a shadow root. The page's CSP refuses CodeMirror's <style> elements, but a shadow root can adopt
// style sheets. Colours are CSS variables, so the editor follows the page's theme.

import { bidiIsolates, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type EditorState, type Extension, type Range, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, type EditorViewConfig, WidgetType } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { placesOfHidden, withEscapes } from '../../ui/hidden-characters.ts'
import { count } from '../format.ts'

/** Mounts a CodeMirror view into `host`, an empty element. */
export const createCodeView = (host: HTMLElement, config: EditorViewConfig): EditorView => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  return new EditorView({ ...config, root, parent: root })
}

/**
 * Outside the shadow root, the focus is on the host, which looks like no text field. Keys therefore stop at the host.
 */
export const keepTypingInside = (event: KeyboardEvent): void => {
  if (!event.ctrlKey && !event.metaKey && event.key !== 'Escape' && event.key !== 'Tab') event.stopPropagation()
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--color-ink)', backgroundColor: 'transparent', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--color-ink)', padding: '6px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'color-mix(in oklch, var(--color-accent) 30%, transparent) !important' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in oklch, var(--color-ink) 4%, transparent)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--color-faint)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--color-soft)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--color-hover)',
    color: 'var(--color-soft)',
    border: 'none',
    padding: '0 4px',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'transparent',
    outline: '1px solid var(--color-line-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent', color: 'var(--color-danger)' },
  '.cm-hidden-character': {
    borderRadius: '3px',
    padding: '0 2px',
    backgroundColor: 'var(--color-failed-wash)',
    color: 'var(--color-failed)',
    fontSize: 'var(--text-2xs)',
  },
  '.cm-placeholder': { color: 'var(--color-faint)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow-float)',
    overflow: 'hidden',
    fontFamily: 'var(--font-sans)',
    fontSize: '12px',
    zIndex: '60',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '12em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', lineHeight: '18px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-selected)',
    color: 'var(--color-ink)',
  },
  '.cm-completionDetail': { color: 'var(--color-soft)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--color-accent)', fontWeight: '600' },
  '.cm-completionInfo': { padding: '6px 8px', maxWidth: '280px' },
  '.cm-diagnostic': { padding: '4px 8px', marginLeft: '0', borderLeft: '3px solid var(--color-failed-fill)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--color-waiting-fill)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-danger) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--color-danger)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--color-accent)' },
  { tag: tags.string, color: 'var(--color-completed)' },
  { tag: tags.number, color: 'var(--color-queued)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--color-waiting)' },
  { tag: tags.comment, color: 'var(--color-faint)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--color-danger)' },
])

/** In one line, or in one text that is not part of the editor's. */
const MOST_ALONE = 1_000
/** Characters that are drawn of what follows them. */
const MOST_OF_REST = 2_000

const drawHidden = (original: string): HTMLElement => {
  const drawn = document.createElement('span')
  drawn.className = 'cm-hidden-character'
  const beyond = original.length - MOST_OF_REST
  drawn.textContent =
    withEscapes(original.slice(0, MOST_OF_REST)) + (beyond > 0 ? `… and ${count(beyond)} more characters` : '')
  return drawn
}

/** Draws those in an element that is not part of the editor's text. */
export const drawHiddenIn = (element: Element): void => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (texts.nextNode()) found.push(texts.currentNode as Text)
  for (const text of found) {
    const { data } = text
    const places = placesOfHidden(data, MOST_ALONE)
    if (places.length === 0) continue
    const parts: (string | Node)[] = []
    let end = 0
    for (const { from, to } of places) {
      parts.push(data.slice(end, from), drawHidden(data.slice(from, to)))
      end = to
    }
    text.replaceWith(...parts, data.slice(end))
  }
}

class Hidden extends WidgetType {
  readonly original: string
  constructor(original: string) {
    super()
    this.original = original
  }
  override eq(other: Hidden): boolean {
    return other.original === this.original
  }
  override toDOM(): HTMLElement {
    return drawHidden(this.original)
  }
  override ignoreEvent(): boolean {
    return false
  }
}

const hiddenIn = ({ doc }: EditorState): DecorationSet => {
  const drawn: Range<Decoration>[] = []
  let start = 0
  for (const line of doc.iterLines()) {
    for (const { from, to } of placesOfHidden(line, MOST_ALONE))
      drawn.push(Decoration.replace({ widget: new Hidden(line.slice(from, to)) }).range(start + from, start + to))
    start += line.length + 1
  }
  return Decoration.set(drawn)
}

/** Of the whole text, because only then does a line have few elements, however long it is. */
const hiddenCharacters = StateField.define<DecorationSet>({
  create: hiddenIn,
  update: (drawn, { docChanged, state }) => (docChanged ? hiddenIn(state) : drawn),
  provide: (field) => EditorView.decorations.from(field),
})

/** The editor's look, light and dark. Hidden characters are shown as elsewhere on the page. */
export const codeLook: Extension = [
  theme,
  syntaxHighlighting(colours),
  hiddenCharacters,
  // Strings and comments cannot turn what stands beside them.
  bidiIsolates(),
]
