// Mounts CodeMirror in a shadow root. The page's CSP refuses CodeMirror's <style> elements, but a shadow root can adopt
// style sheets. Colours are CSS variables, so the editor follows the page's theme.

import { bidiIsolates, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView, type EditorViewConfig, highlightSpecialChars } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { escapeOf, HIDDEN } from '../../ui/hidden-characters.ts'

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

const drawHidden = (character: string): HTMLElement => {
  const drawn = document.createElement('span')
  drawn.className = 'cm-hidden-character'
  drawn.textContent = escapeOf(character)
  return drawn
}

/** Draws those in an element that is not part of the editor's text. */
export const drawHiddenIn = (element: Element): void => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (texts.nextNode()) found.push(texts.currentNode as Text)
  for (const text of found) {
    const { data } = text
    const matches = [...data.matchAll(HIDDEN)]
    if (matches.length === 0) continue
    const parts: (string | Node)[] = []
    let end = 0
    for (const { index, 0: character } of matches) {
      parts.push(data.slice(end, index), drawHidden(character))
      end = index + character.length
    }
    text.replaceWith(...parts, data.slice(end))
  }
}

/** The editor's look, light and dark. Hidden characters are shown as elsewhere on the page. */
export const codeLook: Extension = [
  theme,
  syntaxHighlighting(colours),
  highlightSpecialChars({ specialChars: HIDDEN, render: (code) => drawHidden(String.fromCodePoint(code)) }),
  // Strings and comments cannot turn what stands beside them.
  bidiIsolates(),
]
