import { useId, useState } from 'react'
import type { DesktopSettings } from '../../desktop.ts'
import { changePort } from '../../parts/change-port.ts'
import { DEFAULT_PORT } from '../../parts/default-address.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextInput } from '../../ui/field.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Row, Section } from '../../parts/section.tsx'
import { useDesktopSettings } from './use-desktop.ts'

type Toggle = 'keepInTray' | 'startAtLogin' | 'startMinimised'

const TOGGLES: readonly { readonly member: Toggle; readonly label: string; readonly note: string }[] = [
  { member: 'keepInTray', label: 'Keep running in the tray', note: 'Closing the window leaves the runtime running.' },
  { member: 'startAtLogin', label: 'Start at login', note: 'The app starts when you log in.' },
  {
    member: 'startMinimised',
    label: 'Start minimised',
    note: 'The window opens in the task bar, or in the tray when the app keeps running there.',
  },
]

type Rule = keyof DesktopSettings['notifyWhen']

const RULES: readonly { readonly member: Rule; readonly label: string }[] = [
  { member: 'failed', label: 'Notify when an Execution fails' },
  { member: 'waitsForMe', label: 'Notify when an Execution waits for an event' },
  { member: 'finishedAfterAMinute', label: 'Notify when an Execution that took over a minute ends' },
]

export const DesktopSection = () => {
  const { settings, change } = useDesktopSettings()
  if (settings === null) return null
  return (
    <Section title="Desktop app">
      {TOGGLES.map(({ member, label, note }) => (
        <Row key={member} label={label} note={note}>
          <Switch label={label} checked={settings[member]} onChange={(on) => change({ [member]: on })} />
        </Row>
      ))}
      {RULES.map(({ member, label }) => (
        <Row key={member} label={label}>
          <Switch
            label={label}
            checked={settings.notifyWhen[member]}
            onChange={(on) => change({ notifyWhen: { ...settings.notifyWhen, [member]: on } })}
          />
        </Row>
      ))}
      <Port key={settings.port} port={settings.port} />
    </Section>
  )
}

const HIGHEST_PORT = 65_535

const Port = ({ port }: { readonly port: number }) => {
  const [text, setText] = useState(String(port))
  const note = useId()
  const number = Number(text)
  const valid = /^\d{1,5}$/.test(text) && number >= 1 && number <= HIGHEST_PORT
  return (
    <Row
      label="Port"
      note={
        <span id={note} role="status" className={classNames(!valid && 'text-danger')}>
          {valid
            ? `Clients use port ${DEFAULT_PORT} unless SERVICE_RUNTIME_URL names another.`
            : `A port is a number from 1 to ${HIGHEST_PORT}.`}
        </span>
      }
    >
      <TextInput
        aria-label="Port"
        aria-describedby={note}
        aria-invalid={!valid || undefined}
        value={text}
        inputMode="numeric"
        className="w-20"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        disabledReason={valid && number !== port ? undefined : 'Enter another port first'}
        onClick={() => changePort(number)}
      >
        Use this port
      </Button>
    </Row>
  )
}
