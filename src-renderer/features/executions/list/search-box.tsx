// The search box: text filters the list after a moment; a whole id opens its Execution.

import { useNavigate } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { paths } from '../../../paths.ts'
import { useShortcut } from '../../../parts/shortcuts.ts'
import { IconButton, Key } from '../../../ui/button.tsx'
import { inputClasses } from '../../../ui/input-classes.ts'
import { HiddenInText } from '../../../ui/visible.tsx'
import { executionIdIn } from './search-filter.ts'
import { useTypedText } from './use-typed-text.ts'

export const SearchBox = ({
  text,
  onText,
}: {
  /** The search text of the filter. */
  readonly text: string
  readonly onText: (text: string) => void
}) => {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const { shown, type, settle, clear, drop, leave } = useTypedText(text, onText)
  useShortcut('search', () => input.current?.select())

  const clearAll = () => {
    clear()
    input.current?.focus()
  }
  /** Opens the Execution if the text is a whole id. */
  const openId = (value: string): boolean => {
    const id = executionIdIn(value)
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
    <div className="relative flex w-80 items-center">
      <Search size={14} className="pointer-events-none absolute left-2 text-faint" />
      <input
        ref={input}
        type="text"
        role="searchbox"
        aria-label="Search by id or error"
        aria-keyshortcuts="/"
        placeholder="Search by id or error"
        value={shown}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (openId(event.clipboardData.getData('text/plain'))) event.preventDefault()
        }}
        onBlur={(event) => leave(event.currentTarget.value)}
        className={`${inputClasses} w-full pr-7 pl-7`}
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
  )
}
