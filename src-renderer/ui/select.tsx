import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import type { RefObject } from 'react'
import { visible } from './visible.tsx'

export type Option<Value extends string> = {
  readonly value: Value
  readonly label: string
  /** Why it is disabled. It stays in the list, and shows the reason. */
  readonly disabledReason?: string | undefined
}

export type SelectProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly options: readonly Option<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string
  /** The id of the trigger, for a separate label. */
  readonly id?: string
  /** The ids of the elements that describe it. */
  readonly describedBy?: string | undefined
  /** What gets the focus when it closes, instead of the trigger. */
  readonly focusAfter?: RefObject<HTMLElement | null>
}

/** Selects one of a few options. `label` is its accessible name. */
export const Select = <Value extends string>({
  label,
  value,
  options,
  onChange,
  className,
  id,
  describedBy,
  focusAfter,
}: SelectProps<Value>) => (
  <Base.Root items={options} value={value} onValueChange={(next) => next !== null && onChange(next)}>
    <Base.Trigger
      id={id}
      aria-label={label}
      aria-describedby={describedBy}
      className={`inline-flex h-7 pointer-coarse:h-9 items-center gap-1.5 rounded-md border border-line-strong bg-raised px-2.5 hover:bg-hover ${className ?? ''}`}
    >
      <Base.Value className="min-w-0 flex-1 truncate text-left">
        {(chosen: Value) => visible(options.find((option) => option.value === chosen)?.label ?? chosen)}
      </Base.Value>
      <ChevronDown size={14} className="text-faint" />
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
        <Base.Popup
          finalFocus={focusAfter}
          className="max-h-80 max-w-[min(24rem,var(--available-width))] min-w-(--anchor-width) overflow-auto rounded-md border border-line bg-raised py-1 shadow-float outline-none"
        >
          <Base.List>
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                disabled={option.disabledReason !== undefined}
                title={option.disabledReason}
                className="flex min-h-7 pointer-coarse:min-h-9 items-center gap-2 px-2.5 py-0.5 outline-none data-disabled:text-faint data-highlighted:bg-hover"
              >
                <span className="w-3.5 shrink-0">
                  <Base.ItemIndicator>
                    <Check size={14} />
                  </Base.ItemIndicator>
                </span>
                <Base.ItemText className="min-w-0 wrap-anywhere">{visible(option.label)}</Base.ItemText>
                {option.disabledReason !== undefined && <span className="text-xs">{option.disabledReason}</span>}
              </Base.Item>
            ))}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
