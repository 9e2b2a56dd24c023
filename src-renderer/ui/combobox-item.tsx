import { Combobox as Base } from '@base-ui/react/combobox'
import { Check } from 'lucide-react'
import { classNames } from './class-names.ts'
import { visible } from './visible.tsx'

export type ComboboxOption = {
  readonly value: string
  readonly label: string
  /** Secondary text below the label. */
  readonly detail?: string | undefined
  /** Why it is disabled. It stays in the list, and shows the reason. */
  readonly disabledReason?: string | undefined
}

/** One option of a list that typing filters, with a check if it is selected. */
export const ComboboxItem = ({ option }: { readonly option: ComboboxOption }) => {
  const { label, detail, disabledReason } = option
  const below = disabledReason ?? detail
  return (
    <Base.Item
      value={option}
      disabled={disabledReason !== undefined}
      className="flex min-h-7 pointer-coarse:min-h-9 items-center gap-2 px-2.5 py-0.5 outline-none data-highlighted:bg-hover"
    >
      <span className="w-3.5 shrink-0">
        <Base.ItemIndicator>
          <Check size={14} />
        </Base.ItemIndicator>
      </span>
      <span className={classNames('min-w-0', disabledReason !== undefined && 'text-soft')}>
        <span className="block wrap-anywhere">{visible(label)}</span>
        {below !== undefined && <span className="block text-xs text-faint">{visible(below)}</span>}
      </span>
    </Base.Item>
  )
}

export const isSameOption = (one: ComboboxOption, other: ComboboxOption): boolean => one.value === other.value
