import type { ReactNode } from 'react'
import { HIDDEN, placesOfHidden, withEscapes } from './hidden-characters.ts'

const MOST_ALONE = 16

/**
 * A text with its hidden characters as escapes. The escapes are drawn by the style sheet, so what a user selects and copies
 * is the original. A function rather than a component: thousands of cells call it, and nearly all have nothing to show.
 */
export const visible = (text: ReactNode): ReactNode => {
  if (typeof text !== 'string') return text
  const places = placesOfHidden(text, MOST_ALONE)
  if (places.length === 0) return text
  const parts: ReactNode[] = []
  let end = 0
  for (const { from, to } of places) {
    const original = text.slice(from, to)
    parts.push(
      text.slice(end, from),
      <span key={from} data-escape={withEscapes(original)} className="hidden-character">
        {original}
      </span>,
    )
    end = to
  }
  return [...parts, text.slice(end)]
}

/** For below a text field, which cannot draw the escapes. `floats`: over what is below, in the nearest `relative` element. */
export const HiddenInText = ({ text, floats = false }: { readonly text: string; readonly floats?: boolean }) =>
  text.search(HIDDEN) !== -1 && (
    <p className={`text-xs wrap-anywhere text-danger${floats ? ' below-field' : ''}`}>
      Contains hidden characters: {visible(text)}
    </p>
  )
