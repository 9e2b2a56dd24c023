// The list that a button opens, with a search field above it. Loaded when it is first opened: see `parts/find-button.tsx`.

import { Combobox } from '@base-ui/react/combobox'
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { ComboboxItem, type ComboboxOption, isSameOption } from './combobox-item.tsx'
import { wholeFirst } from './whole-first.ts'

export type FindListProps = {
  /** The accessible name: `Projects`. */
  readonly label: string
  /** One of them, in a sentence: `project`. */
  readonly one: string
  readonly value: string | null
  readonly options: readonly ComboboxOption[]
  readonly onChange: (value: string) => void
  /** The button that opened it. */
  readonly anchor: HTMLElement | null
  /** What is searched for. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
  /** What else can be done. It stays in sight below the list. */
  readonly children?: ReactNode
}

const MOST_SHOWN = 200

export const FindList = ({
  label,
  one,
  value,
  options,
  onChange,
  anchor,
  text,
  onText,
  onClose,
  children,
}: FindListProps) => {
  const find = `Find a ${one}`
  const { contains } = Combobox.useFilter()
  const matches =
    options.length > MOST_SHOWN ? options.filter(({ label: shown }) => contains(shown, text.trim())).length : 0
  return (
    <Combobox.Root
      open
      items={wholeFirst(options, text.trim())}
      limit={MOST_SHOWN}
      value={options.find((option) => option.value === value) ?? null}
      isItemEqualToValue={isSameOption}
      itemToStringLabel={(option) => option.label}
      onValueChange={(option) => {
        if (option === null) return
        onClose()
        onChange(option.value)
      }}
      inputValue={text}
      onInputValueChange={onText}
      onOpenChange={(open, { event }) => {
        if (!open && !isAt(anchor, event)) onClose()
      }}
      autoHighlight
    >
      <Combobox.Portal>
        <Combobox.Positioner anchor={anchor} align="start" sideOffset={4} className="z-50">
          <Combobox.Popup
            aria-label={label}
            finalFocus={() => anchor}
            className="flex max-h-[min(30rem,var(--available-height))] w-96 max-w-(--available-width) flex-col overflow-y-auto rounded-md border border-line bg-raised shadow-float outline-none"
          >
            <div className="flex shrink-0 items-center gap-2 border-b border-line px-2.5">
              <Search size={14} className="shrink-0 text-faint" />
              <Combobox.Input
                ref={focusAtOnce}
                aria-label={find}
                placeholder={find}
                spellCheck={false}
                className="h-8 pointer-coarse:h-10 min-w-0 flex-1 bg-transparent outline-none placeholder:text-faint"
              />
            </div>
            <Combobox.Empty className="px-2.5 py-2 text-soft empty:hidden">No {one} matches.</Combobox.Empty>
            <Combobox.List aria-label={label} className="min-h-9 overflow-auto py-1 outline-none empty:hidden">
              {(option: ComboboxOption) => <ComboboxItem key={option.value} option={option} />}
            </Combobox.List>
            {matches > MOST_SHOWN && (
              <p className="shrink-0 border-t border-line px-2.5 py-1.5 text-xs text-soft">
                The first {MOST_SHOWN} of {matches}. Type {text.trim() === '' ? '' : 'more '}to find the others.
              </p>
            )}
            {children}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** Base does so in a later frame, and what is typed before would be lost. */
const focusAtOnce = (input: HTMLInputElement | null) => input?.focus({ preventScroll: true })

/** The button closes the list by its own click, or would open it again. */
const isAt = (anchor: HTMLElement | null, event: Event): boolean => {
  const place = event instanceof FocusEvent ? event.relatedTarget : event.target
  return anchor !== null && place instanceof Node && anchor.contains(place) && event.type !== 'keydown'
}
