import { Combobox as Base } from '@base-ui/react/combobox'
import { ChevronDown } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'
import { ComboboxItem, type ComboboxOption, isSameOption } from './combobox-item.tsx'
import { inputClasses } from './input-classes.ts'
import { HiddenInText } from './visible.tsx'

export type ComboboxProps = {
  readonly label: string
  readonly value: string | null
  readonly options: readonly ComboboxOption[]
  readonly onChange: (value: string) => void
  readonly placeholder?: string
}

/** By default, Escape would clear the field and not reach the dialog that it should close. */
const leavesByEscape = (details: Base.Root.ChangeEventDetails): boolean => {
  if (details.reason !== 'escape-key') return false
  details.cancel()
  details.allowPropagation()
  return true
}

/**
 * The text of the field: what the user typed until they select an option or leave, else the label of the selection. Base
 * would replace typed text by the label whenever the options or the selection change, as when they load while the user types.
 */
const useFieldText = (selected: ComboboxOption | null) => {
  const [typed, setTyped] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const text = typed ?? selected?.label ?? ''
  const isTyped = typed !== null
  // What the user types next replaces the label, also one that appears after the focus.
  useLayoutEffect(() => {
    if (!isTyped && document.activeElement === field.current) field.current?.select()
  }, [isTyped, text])
  return { field, text, setTyped }
}

/** Selects one of many options, which typing filters. `label` is its accessible name. */
export const Combobox = ({ label, value, options, onChange, placeholder }: ComboboxProps) => {
  const selected = options.find((option) => option.value === value) ?? null
  const { field, text, setTyped } = useFieldText(selected)
  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(next, details) => {
        if (!leavesByEscape(details) && next !== null) onChange(next.value)
      }}
      inputValue={text}
      onInputValueChange={(next, details) => {
        if (!leavesByEscape(details)) setTyped(details.reason === 'input-change' ? next : null)
      }}
      isItemEqualToValue={isSameOption}
      itemToStringLabel={(option) => option.label}
      autoHighlight
    >
      <div className="relative">
        <Base.Input
          ref={field}
          aria-label={label}
          placeholder={placeholder}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={() => {
            // Base restores the label when it closes the list, which is closed when the field is empty.
            if (text === '') setTyped(null)
          }}
          className={classNames(inputClasses, 'w-full pr-7')}
        />
        <Base.Trigger
          aria-label={`Show every ${label}`}
          className="absolute inset-y-0 right-0 flex w-7 items-center justify-center text-faint hover:text-ink"
        >
          <ChevronDown size={14} />
        </Base.Trigger>
      </div>
      <HiddenInText text={text} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup className="flex max-h-[min(20rem,var(--available-height))] w-(--anchor-width) min-w-60 flex-col overflow-hidden rounded-md border border-line bg-raised shadow-float outline-none">
            <Base.Empty className="px-3 py-2 text-soft empty:hidden">No matches.</Base.Empty>
            <Base.List className="overflow-auto py-1 empty:hidden">
              {(option: ComboboxOption) => <ComboboxItem key={option.value} option={option} />}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
