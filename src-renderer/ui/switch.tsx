import { Switch as Base } from '@base-ui/react/switch'
import { Hint } from './hint.tsx'

export const Switch = ({
  label,
  checked,
  onChange,
  disabled = false,
  disabledReason,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  /** Why it cannot be changed. It stays focusable, and shows the reason. */
  readonly disabledReason?: string | undefined
}) => (
  <Hint text={disabledReason}>
    <Base.Root
      aria-label={label}
      checked={checked}
      disabled={disabled}
      readOnly={disabledReason !== undefined}
      aria-description={disabledReason}
      onCheckedChange={(next) => onChange(next)}
      onKeyDown={(event) => {
        // Base UI toggles on Enter with any modifier, but Ctrl+Enter submits the dialog.
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.preventBaseUIHandler()
      }}
      className="inline-flex h-4.5 w-8 shrink-0 items-center rounded-full border border-edge bg-sunken p-0.5 forced-color-adjust-none data-checked:border-accent data-checked:bg-accent data-disabled:opacity-55 data-readonly:opacity-55"
    >
      <Base.Thumb className="size-3 rounded-full bg-edge transition-transform data-checked:translate-x-3.5 data-checked:bg-on-accent" />
    </Base.Root>
  </Hint>
)
