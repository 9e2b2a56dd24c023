// Finds text in what the page shows, and marks it. Not by Electron's `findInPage`: that also finds what is typed into the search
// field of the page itself, and takes the focus from it.

/** More would say nothing, and marking them takes time. */
export const MOST_FOUND = 1_000
/** Between two blocks, such as paragraphs: no text that is found goes across. */
const END_OF_BLOCK = '\u0000'

/** Undefined for nothing but space. In any case, and any space is like any other. */
export const patternOf = (query: string): RegExp | undefined => {
  const words = query.trim().split(/\s+/).filter(Boolean)
  return words.length === 0 ? undefined : new RegExp(words.map((word) => RegExp.escape(word)).join('\\s+'), 'giu')
}

/** Ranges in `root`, also in its open shadow roots, in the order of the document. `isLeftOut`: elements that are not searched. */
export const findText = (root: Element, query: string, isLeftOut: (element: Element) => boolean): readonly Range[] => {
  const pattern = patternOf(query)
  if (pattern === undefined) return []
  const { text, pieces } = collect(root, isLeftOut)
  const found: Range[] = []
  let at = 0
  /** The piece in which the character of this position is; positions only grow. */
  const pieceOf = (position: number): Piece => {
    while (pieces[at + 1] !== undefined && pieces[at + 1]!.start <= position) at += 1
    return pieces[at]!
  }
  for (const { index, 0: match } of text.matchAll(pattern)) {
    const range = new Range()
    const first = pieceOf(index)
    range.setStart(first.node, index - first.start)
    const last = pieceOf(index + match.length - 1)
    range.setEnd(last.node, index + match.length - last.start)
    // What is not drawn, as in a closed section, has no place.
    if (range.getClientRects().length > 0) found.push(range)
    if (found.length === MOST_FOUND) break
  }
  return found
}

type Piece = { readonly node: Text; readonly start: number }

/** Dialogs, which are over the bar, and the link that skips to the content: it is in the window only while it has the focus. */
const NOT_SEARCHED =
  'script, style, noscript, template, textarea, select, option, [role="dialog"], [role="alertdialog"], [href="#main"]'

const collect = (root: Element, isLeftOut: (element: Element) => boolean) => {
  const pieces: Piece[] = []
  let text = ''
  const enter = (element: Element): void => {
    if (element.matches(NOT_SEARCHED) || isLeftOut(element)) return
    const { display, visibility, clipPath } = getComputedStyle(element)
    // The last one is text for screen readers only.
    if (display === 'none' || clipPath === 'inset(50%)') return
    const isBlock = display !== 'inline' && display !== 'contents'
    if (isBlock || element.tagName === 'BR') text += END_OF_BLOCK
    for (const child of (element.shadowRoot ?? element).childNodes) {
      if (child instanceof Element) enter(child)
      else if (child instanceof Text && visibility === 'visible') {
        pieces.push({ node: child, start: text.length })
        text += child.data
      }
    }
    if (isBlock) text += END_OF_BLOCK
  }
  enter(root)
  return { text, pieces }
}

/** Marks all ranges, and one of them as the current one. */
export const mark = (found: readonly Range[], current: Range | undefined): void => {
  if (current === undefined) return unmark()
  CSS.highlights.set('found', new Highlight(...found))
  const one = new Highlight(current)
  one.priority = 1
  CSS.highlights.set('found-current', one)
}

export const unmark = (): void => {
  CSS.highlights.delete('found')
  CSS.highlights.delete('found-current')
}

/** Scrolls whatever is around it. */
export const reveal = (range: Range): void => {
  for (let at = parentOf(range.startContainer); at !== null; at = parentOf(at)) {
    if (!(at instanceof Element) || !/auto|scroll/.test(getComputedStyle(at).overflow)) continue
    const place = range.getBoundingClientRect()
    const view = at.getBoundingClientRect()
    if (place.top < view.top || place.bottom > view.bottom) at.scrollTop += place.top - view.top - view.height / 2
    if (place.left < view.left || place.right > view.right) at.scrollLeft += place.left - view.left - view.width / 2
  }
}

const parentOf = (node: Node): Node | null => (node instanceof ShadowRoot ? node.host : node.parentNode)

/** Whether a part of it is in the window. */
export const isInWindow = (range: Range): boolean => {
  const { top, bottom } = range.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}
