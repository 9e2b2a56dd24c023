// Find in page of the desktop app: browsers have their own. Lists draw only the rows in view, so there it finds only those; their
// own searches find the others.

import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { desktop } from '../../desktop.ts'
import { focusScreen } from '../../ui/focus-screen.ts'
import { MatchSteps } from '../../parts/match-steps.tsx'
import { isDialogOpen } from '../../parts/shortcuts.ts'
import { IconButton } from '../../ui/button.tsx'
import { inputClasses } from '../../ui/input-classes.ts'
import { HiddenInText } from '../../ui/visible.tsx'
import { findText, isInWindow, mark, MOST_FOUND, reveal, unmark } from './find-text.ts'

/** What changes on the screen is searched again, at most this often. */
const AGAIN_MS = 200

type Found = { readonly ranges: readonly Range[]; readonly current: number }
const NONE: Found = { ranges: [], current: 0 }

export const FindBar = () => {
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [found, setFound] = useState(NONE)
  const bar = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const focusedBefore = useRef<Element | null>(null)

  const show = (next: Found): void => {
    mark(next.ranges, next.ranges[next.current])
    setFound(next)
  }
  /** Stays at the current one, if it is still there. */
  const search = (text: string): Found => {
    const ranges = findText(document.body, text, (element) => element === bar.current)
    const before = found.ranges[found.current]
    const same = ranges.findIndex((range) => before !== undefined && beginsLike(range, before))
    const current = same === -1 ? Math.max(0, ranges.findIndex(isInWindow)) : same
    const next = { ranges, current }
    show(next)
    return next
  }
  const type = (text: string): void => {
    setQuery(text)
    revealCurrent(search(text))
  }
  const step = (by: 1 | -1): void => {
    const { ranges, current } = search(query)
    if (ranges.length === 0) return
    const next = { ranges, current: (current + by + ranges.length) % ranges.length }
    show(next)
    revealCurrent(next)
  }
  const open = (): void => {
    if (bar.current?.contains(document.activeElement) !== true) focusedBefore.current = document.activeElement
    flushSync(() => setOpen(true))
    input.current?.select()
  }
  const close = (): void => {
    setOpen(false)
    setFound(NONE)
    unmark()
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus({ preventScroll: true })
    // What had it may be gone.
    if (bar.current?.contains(document.activeElement) === true) focusScreen()
  }

  const onCommand = useEffectEvent((command: string): void => {
    if (!FIND_COMMANDS.has(command) || isDialogOpen()) return
    if (command === 'find' || !isOpen) return open()
    step(command === 'find-next' ? 1 : -1)
  })
  useEffect(() => desktop?.onCommand((command) => onCommand(command)), [])

  const again = useEffectEvent(() => void search(query))
  useEffect(() => {
    if (!isOpen) return undefined
    if (query !== '') again()
    let later: ReturnType<typeof setTimeout> | undefined
    const observer = new MutationObserver((changes) => {
      if (changes.every(({ target }) => bar.current?.contains(target) === true)) return
      later ??= setTimeout(() => {
        later = undefined
        again()
      }, AGAIN_MS)
    })
    observer.observe(document.body, { childList: true, characterData: true, subtree: true })
    return () => {
      observer.disconnect()
      clearTimeout(later)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the bar opens with the last text
  }, [isOpen])

  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter on a button presses it.
    const steps = event.key === 'Enter' && event.target === input.current
    if (event.nativeEvent.isComposing || (!steps && event.key !== 'Escape')) return
    event.preventDefault()
    event.stopPropagation()
    if (steps) step(event.shiftKey ? -1 : 1)
    else close()
  }

  if (!isOpen) return null
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of what is in it
    <div
      ref={bar}
      role="search"
      aria-label="Find in page"
      onKeyDown={onKeyDown}
      className="fixed top-2 right-4 z-40 flex max-w-[calc(100vw-2rem)] items-center gap-1 rounded-md border border-line-strong bg-raised p-1.5 shadow-float"
    >
      <input
        ref={input}
        type="text"
        aria-label="Find in page"
        placeholder="Find in page"
        value={query}
        onChange={(event) => type(event.currentTarget.value)}
        className={`${inputClasses} w-56 min-w-0`}
      />
      <HiddenInText text={query} floats />
      <span role="status" className="tabular min-w-16 shrink-0 px-1 text-right text-xs text-faint">
        {query.trim() === '' ? '' : told(found)}
      </span>
      <MatchSteps onStep={step} />
      <IconButton label="Close" small onClick={close}>
        <X size={14} />
      </IconButton>
    </div>
  )
}

const FIND_COMMANDS: ReadonlySet<string> = new Set(['find', 'find-next', 'find-previous'])

const told = ({ ranges, current }: Found): string =>
  ranges.length === 0 ? 'No matches' : `${current + 1} of ${ranges.length}${ranges.length === MOST_FOUND ? '+' : ''}`

const beginsLike = (range: Range, other: Range): boolean =>
  range.startContainer === other.startContainer && range.startOffset === other.startOffset

const revealCurrent = ({ ranges, current }: Found): void => {
  const range = ranges[current]
  if (range !== undefined) reveal(range)
}
