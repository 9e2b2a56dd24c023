import { Search, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { SHORTCUTS, useShortcut } from './shortcuts.ts'
import { IconButton, Key } from '../ui/button.tsx'
import { inputClasses } from '../ui/input-classes.ts'
import { HiddenInText } from '../ui/visible.tsx'

/** The `/` key focuses it; Escape clears it, then leaves it. `label` is its accessible name. */
export const SearchField = ({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  // Shows the typed text at once, because `value` follows a moment later.
  const [draft, setDraft] = useState<string | undefined>(undefined)
  const type = (text: string) => {
    setDraft(text)
    onChange(text)
  }
  useShortcut('search', () => input.current?.focus())
  const onEscape = () => ((draft ?? value) === '' ? input.current?.blur() : type(''))
  return (
    <div className="relative flex items-center">
      <Search size={13} className="pointer-events-none absolute left-2 text-faint" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder="Search"
        value={draft ?? value}
        onFocus={() => setDraft(value)}
        onBlur={() => setDraft(undefined)}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onEscape()}
        className={`${inputClasses} w-44 pr-7 pl-7`}
      />
      <span className="absolute right-1.5 flex items-center text-faint">
        {value === '' ? (
          <Key>{SHORTCUTS.search.shown}</Key>
        ) : (
          <IconButton label="Clear the search" small className="-mr-1" onClick={() => onChange('')}>
            <X size={12} />
          </IconButton>
        )}
      </span>
      <HiddenInText text={draft ?? value} floats />
    </div>
  )
}
