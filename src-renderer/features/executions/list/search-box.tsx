// The search box: text filters the list after a moment, by id and error or by label; a whole id opens its Execution.

import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { LONGEST_LABEL } from '../../../api/executions-query.ts'
import { paths } from '../../../paths.ts'
import { useShortcut } from '../../../parts/shortcuts.ts'
import { IconButton, Key } from '../../../ui/button.tsx'
import { inputClasses } from '../../../ui/input-classes.ts'
import { Select } from '../../../ui/select.tsx'
import { HiddenInText } from '../../../ui/visible.tsx'
import { executionIdIn, LONGEST_TEXT, type ListFilter } from './search-filter.ts'
import { useTypedText } from './use-typed-text.ts'

/** What the box searches. */
type Searched = 'q' | 'label'

const OPTIONS = [
  { value: 'q', label: 'Id or error' },
  { value: 'label', label: 'Label' },
] as const

const OTHER = { q: 'label', label: 'q' } as const satisfies Record<Searched, Searched>
const NAMES = { q: 'Search by id or error', label: 'Search by label' } as const
const LONGEST = { q: LONGEST_TEXT, label: LONGEST_LABEL } as const

export const SearchBox = ({
  filter,
  onFilter,
}: {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}) => {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Searched>('q')
  // The text that filters is shown, as in an address with a label; but who empties one of two types into the same again.
  const other = filter[OTHER[chosen]]
  const [otherBefore, setOtherBefore] = useState<string>()
  if (other !== otherBefore) setOtherBefore(other)
  const isOther = filter[chosen] === undefined && other !== undefined && other !== otherBefore
  const searched = isOther ? OTHER[chosen] : chosen
  if (isOther) setChosen(searched)
  const search = (text: string) => {
    const { [searched]: _, ...rest } = filter
    onFilter(text === '' ? rest : { ...rest, [searched]: text })
  }
  const { shown, type, settle, clear, drop, leave } = useTypedText(filter[searched] ?? '', search)
  useShortcut('search', () => input.current?.select())

  /** Searches the text there instead, unless both are searched: then shows the other text. */
  const choose = (next: Searched) => {
    if (next === searched) return
    drop()
    setChosen(next)
    const text = shown.trim().slice(0, LONGEST[next])
    if (text === '' || filter[next] !== undefined) return
    const { [searched]: _, ...rest } = filter
    onFilter({ ...rest, [next]: text })
  }
  const clearAll = () => {
    clear()
    input.current?.focus()
  }
  /** Opens the Execution if the text is a whole id. */
  const openId = (value: string): boolean => {
    const id = searched === 'q' ? executionIdIn(value) : undefined
    if (id === undefined) return false
    drop()
    void navigate(paths.execution(id))
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget
    if (event.key === 'Escape') {
      if (value === '') event.currentTarget.blur()
      else clearAll()
    }
    if (event.key !== 'Enter') return
    if (!openId(value)) settle(value)
  }

  return (
    <div role="search" className="flex min-w-48 shrink-[99] basis-96 max-sm:basis-full">
      <Select
        label="Search in"
        value={searched}
        options={OPTIONS}
        onChange={choose}
        focusAfter={input}
        className="w-28 shrink-0 rounded-r-none border-edge"
      />
      <div className="relative -ml-px flex min-w-0 flex-1 items-center">
        <input
          ref={input}
          type="text"
          role="searchbox"
          aria-label={NAMES[searched]}
          aria-keyshortcuts="/"
          placeholder="Search"
          value={shown}
          maxLength={LONGEST[searched]}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (openId(event.clipboardData.getData('text/plain'))) event.preventDefault()
          }}
          onBlur={(event) => leave(event.currentTarget.value)}
          className={`${inputClasses} w-full rounded-l-none pr-7`}
        />
        <span className="absolute right-1 text-faint">
          {shown === '' ? (
            <span className="pr-1">
              <Key>/</Key>
            </span>
          ) : (
            <IconButton label="Clear the search" small onClick={clearAll}>
              <X size={12} />
            </IconButton>
          )}
        </span>
        <HiddenInText text={shown} floats />
      </div>
    </div>
  )
}
