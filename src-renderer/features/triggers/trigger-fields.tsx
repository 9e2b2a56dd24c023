// The fields of a Trigger.

import { type ReactNode, useMemo } from 'react'
import type { Program, Trigger } from '#sdk/index.ts'
import { JsonInput } from '../../parts/json/json-input.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Switch } from '../../ui/switch.tsx'
import { timeZones } from './cadence.ts'
import { NextTimes, OWN_ZONE } from './next-times.tsx'
import { LONGEST_NAME } from './trigger-draft.ts'
import type { TriggerForm } from './use-trigger-form.ts'

type Part = { readonly form: TriggerForm }

export const TriggerFields = ({
  form,
  programs,
  isNew,
}: Part & { readonly programs: readonly Program[]; readonly isNew: boolean }) => {
  const { draft, change, faults } = form
  return (
    <div className="flex flex-col gap-4">
      {isNew && (
        <div>
          <Segmented<Trigger['type']>
            label="Type"
            value={draft.type}
            options={[
              { value: 'webhook', label: 'Webhook' },
              { value: 'schedule', label: 'Schedule' },
            ]}
            onChange={(type) => change({ type })}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-3">
        <Labelled label="Program" fault={faults.programId}>
          <Combobox
            label="Program"
            value={draft.programId === '' ? null : draft.programId}
            placeholder="Choose a Program"
            options={programs.map(({ id, description, runnable }) => ({
              value: id,
              label: id,
              detail: runnable ? description : 'No version of it can run yet',
            }))}
            onChange={(programId) => change({ programId })}
          />
        </Labelled>
        <div className="min-w-60 flex-1">
          <Field label="Name" fault={faults.name}>
            <TextInput
              value={draft.name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              placeholder="Optional"
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          </Field>
        </div>
      </div>
      {draft.type === 'schedule' && <ScheduleFields form={form} />}
      <div className="flex flex-col gap-3">
        <Toggle
          label="Enabled"
          note={
            draft.type === 'webhook' ? 'When disabled, its address answers 404.' : 'When disabled, it does not fire.'
          }
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {isNew && draft.type === 'webhook' && (
          <Toggle
            label="Require a signature"
            note="Callers sign with a secret, as Standard Webhooks describes. Without a signature, anyone who knows the address can start Executions."
            checked={draft.signed}
            onChange={(signed) => change({ signed })}
          />
        )}
        {draft.type === 'webhook' && (draft.signed || !isNew) && (
          <Field
            label="Secret of the sender"
            hint={`The secret that the sender shows (whsec_…). If empty, ${isNew ? 'one is generated' : 'nothing changes'}.`}
            fault={faults.secret}
          >
            <TextInput
              type="password"
              value={draft.secret}
              placeholder="Optional"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change({ secret: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
    </div>
  )
}

const ScheduleFields = ({ form }: Part) => {
  const { draft, change, faults, schema, isSchemaUnread } = form
  const refusals = useMemo(
    () => (faults.input === undefined ? [] : [{ path: '', message: faults.input }]),
    [faults.input],
  )
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <div className="min-w-60 flex-1">
          <Field
            label="Cron expression"
            hint="Minute, hour, day of the month, month, weekday; a sixth field in front is for seconds."
            fault={faults.cron}
          >
            <TextInput
              value={draft.cron}
              placeholder="0 9 * * MON-FRI"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change({ cron: event.currentTarget.value })}
              className="font-mono text-xs"
            />
          </Field>
        </div>
        <Labelled label="Time zone" fault={faults.timezone}>
          <Combobox
            label="Time zone"
            value={draft.timezone}
            options={timeZones(draft.timezone, OWN_ZONE).map((zone) => ({ value: zone, label: zone }))}
            onChange={(timezone) => change({ timezone })}
          />
        </Labelled>
      </div>
      <NextTimes cron={draft.cron} timezone={draft.timezone} />
      <p role="status" className="text-soft empty:hidden">
        {isSchemaUnread &&
          'The Program’s versions could not be read: the input is not checked here, but each time the schedule fires.'}
      </p>
      <JsonInput
        key={draft.programId}
        label="Input"
        text={form.input}
        onChange={(input) => change({ input })}
        schema={schema}
        refusals={refusals}
        attempts={form.attempts}
        placeholder="Any JSON, or empty for no input"
        anyway="Save anyway"
        onSendAnyway={form.attempts > 0 ? () => void form.save(true) : undefined}
      />
    </>
  )
}

/** A choice from a list under its label, which names the choice itself, too. */
const Labelled = ({
  label,
  fault,
  children,
}: {
  readonly label: string
  readonly fault: string | undefined
  readonly children: ReactNode
}) => (
  <div className="flex min-w-60 flex-1 flex-col gap-1">
    <span aria-hidden="true" className="font-medium">
      {label}
    </span>
    {children}
    <p role="alert" className="text-xs text-danger empty:hidden">
      {fault}
    </p>
  </div>
)

const Toggle = ({
  label,
  note,
  checked,
  onChange,
}: {
  readonly label: string
  readonly note: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}) => (
  <div className="flex items-start gap-2.5">
    <Switch label={label} checked={checked} onChange={onChange} />
    <div className="min-w-0">
      <p aria-hidden="true">{label}</p>
      <p className="text-xs text-faint">{note}</p>
    </div>
  </div>
)
