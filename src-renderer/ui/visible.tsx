import type { ReactNode } from 'react'
import { escapeOf, HIDDEN } from './hidden-characters.ts'

/**
 * A text with its hidden characters as escapes. The escapes are drawn by the style sheet, so what a user selects and copies
 * is the original. A function rather than a component: thousands of cells call it, and nearly all have nothing to show.
 */
export const visible = (text: ReactNode): ReactNode => {
  if (typeof text !== 'string' || text.search(HIDDEN) === -1) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const { index, 0: character } of text.matchAll(HIDDEN)) {
    parts.push(
      text.slice(end, index),
      <span key={index} data-escape={escapeOf(character)} className="hidden-character">
        {character}
      </span>,
    )
    end = index + character.length
  }
  return [...parts, text.slice(end)]
}

/** For below a text field, which cannot draw the escapes. */
export const HiddenInText = ({ text }: { readonly text: string }) =>
  text.search(HIDDEN) !== -1 && (
    <p className="text-xs wrap-anywhere text-danger">Contains hidden characters: {visible(text)}</p>
  )
