import type { ReactNode } from 'react'
import { HIDDEN, withEscapes } from './hidden-characters.ts'

/** From the next one on, the rest of the text is one element: thousands would take seconds to draw. */
const DRAWN_ALONE = 16

/**
 * A text with its hidden characters as escapes. The escapes are drawn by the style sheet, so what a user selects and copies
 * is the original. A function rather than a component: thousands of cells call it, and nearly all have nothing to show.
 */
export const visible = (text: ReactNode): ReactNode => {
  if (typeof text !== 'string' || text.search(HIDDEN) === -1) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const { index, 0: character } of text.matchAll(HIDDEN)) {
    const isLast = parts.length === 2 * DRAWN_ALONE
    const original = isLast ? text.slice(index) : character
    parts.push(
      text.slice(end, index),
      <span key={index} data-escape={withEscapes(original)} className="hidden-character">
        {original}
      </span>,
    )
    end = index + original.length
    if (isLast) break
  }
  return [...parts, text.slice(end)]
}

/** For below a text field, which cannot draw the escapes. */
export const HiddenInText = ({ text }: { readonly text: string }) =>
  text.search(HIDDEN) !== -1 && (
    <p className="text-xs wrap-anywhere text-danger">Contains hidden characters: {visible(text)}</p>
  )
