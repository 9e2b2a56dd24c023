import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { visible } from './visible.tsx'

type LongTextProps = {
  readonly text: string
  /** How it is shown. */
  readonly children?: ReactNode
  /** A class that cuts it after some lines: `line-clamp-4`. */
  readonly cut: string
  /** Shows all of it elsewhere: `text` may be only its beginning, and ends with `…` then. */
  readonly onShowAll?: () => void
  /** Around the text, but not around the button. */
  readonly inside?: (shown: ReactNode) => ReactNode
}

/** The first lines of a text, and a button that shows all of it if there are more. */
export const LongText = ({
  text,
  children = visible(text),
  cut,
  onShowAll,
  inside = (shown) => shown,
}: LongTextProps) => {
  const [isWhole, setWhole] = useState(false)
  const [isCut, setCut] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (isWhole) return undefined
    const look = () => setCut(place.current!.scrollHeight > place.current!.clientHeight)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [isWhole, text])
  return (
    <>
      {inside(
        <span ref={place} className={isWhole ? 'block' : cut}>
          {children}
        </span>,
      )}
      {(isCut || (onShowAll !== undefined && text.endsWith('…'))) && (
        <button
          type="button"
          aria-expanded={onShowAll === undefined ? isWhole : undefined}
          className="block w-fit rounded-sm font-sans text-accent underline"
          onClick={onShowAll ?? (() => setWhole(!isWhole))}
        >
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
