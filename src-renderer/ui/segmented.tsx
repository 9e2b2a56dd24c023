import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import { Hint } from './hint.tsx'

export type SegmentedOption<Value extends string> = {
  readonly value: Value
  readonly label: string
  /** Why it is disabled. It stays focusable, and shows the reason. */
  readonly disabledReason?: string | undefined
}

/** A segmented control for two or three views. `label` names the group. */
export const Segmented = <Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly SegmentedOption<Value>[]
  readonly onChange: (value: Value) => void
}) => (
  <ToggleGroup
    aria-label={label}
    value={[value]}
    onValueChange={([next]) => {
      const chosen = options.find((option) => option.value === next)
      if (chosen !== undefined && chosen.disabledReason === undefined) onChange(chosen.value)
    }}
    className="inline-flex h-6 pointer-coarse:h-8 items-center rounded-md border border-line bg-sunken p-px"
  >
    {options.map((option) => {
      const toggle = (
        <Toggle
          key={option.value}
          value={option.value}
          aria-disabled={option.disabledReason === undefined ? undefined : true}
          aria-description={option.disabledReason}
          className="h-full rounded px-2 text-xs text-soft hover:text-ink aria-disabled:opacity-55 data-pressed:bg-raised data-pressed:font-medium data-pressed:text-ink data-pressed:shadow-[0_0_0_1px_var(--color-line-strong)]"
        >
          {option.label}
        </Toggle>
      )
      return option.disabledReason === undefined ? (
        toggle
      ) : (
        <Hint key={option.value} text={option.disabledReason}>
          {toggle}
        </Hint>
      )
    })}
  </ToggleGroup>
)
