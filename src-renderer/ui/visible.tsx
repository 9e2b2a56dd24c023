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

/** For below a text field, which cannot draw the escapes. */
export const HiddenInText = ({ text }: { readonly text: string }) =>
  text.search(HIDDEN) !== -1 && (
    <p className="text-xs wrap-anywhere text-danger">Contains hidden characters: {visible(text)}</p>
  )

/** The same, above what is below a field in a bar. It is placed in the nearest `relative` element. */
export const HiddenInSearch = ({ text }: { readonly text: string }) =>
  text.search(HIDDEN) !== -1 && (
    <div className="pointer-events-none absolute top-full left-0 z-30 mt-1 w-max max-w-[min(20rem,calc(100vw-2rem))] max-h-16 overflow-hidden rounded-md border border-line bg-raised px-2 py-1 shadow-float">
      <HiddenInText text={text} />
    </div>
  )
