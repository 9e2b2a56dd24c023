import type { Theme } from '../../desktop.ts'
import { chooseTheme } from '../../parts/choose-theme.ts'
import type { TimeDisplay } from '../../parts/format.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { Row, Section } from '../../parts/section.tsx'

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]
const TIMES: readonly { readonly value: TimeDisplay; readonly label: string }[] = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
]

export const Appearance = () => {
  const { theme, timeDisplay } = usePreferences()
  return (
    <Section title="Appearance">
      <Row label="Theme">
        <Select label="Theme" value={theme} options={THEMES} onChange={chooseTheme} className="w-40" />
      </Row>
      <Row label="Times" note="Hover over a time to see both. Copied times are ISO 8601 in UTC.">
        <Select
          label="Times"
          value={timeDisplay}
          options={TIMES}
          onChange={(next) => usePreferences.setState({ timeDisplay: next })}
          className="w-40"
        />
      </Row>
      <Row label="Shortcuts" note="Press ? on any screen.">
        <Button shortcut="?" onClick={() => openDialog({ kind: 'shortcuts' })}>
          Show shortcuts
        </Button>
      </Row>
    </Section>
  )
}
