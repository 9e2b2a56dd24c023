import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'

/** Toggles for several of a few options; none selected means all. `label` names the group. */
export const ToggleChips = <Value extends string>({
  label,
  options,
  chosen,
  onChange,
}: {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly chosen: readonly Value[]
  readonly onChange: (chosen: readonly Value[]) => void
}) => (
  <ToggleGroup
    aria-label={label}
    multiple
    value={chosen}
    onValueChange={onChange}
    className="flex flex-wrap items-center gap-1"
  >
    {options.map((option) => (
      <Toggle
        key={option.value}
        value={option.value}
        className="h-7 pointer-coarse:h-8 rounded-md border border-line px-2 text-xs text-soft hover:bg-hover hover:text-ink data-pressed:border-accent data-pressed:bg-selected data-pressed:text-ink"
      >
        {option.label}
      </Toggle>
    ))}
  </ToggleGroup>
)
