// When Executions were started: in the last minutes, hours or days, or between two times.

import { type SubmitEvent, useId, useState } from 'react'
import { relativeMs } from '../../../api/relative-times.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import type { ListFilter } from './search-filter.ts'
import { fromTimeField, toTimeField } from './time-field.ts'

const PRESETS = [
  { value: '-15m', label: 'Last 15 minutes' },
  { value: '-1h', label: 'Last hour' },
  { value: '-1d', label: 'Last day' },
  { value: '-7d', label: 'Last week' },
] as const
const ANY = { value: 'any', label: 'Any time' } as const
const CUSTOM = { value: 'custom', label: 'From … to …' } as const

type TimeFilterProps = {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}

export const TimeFilter = ({ filter, onFilter }: TimeFilterProps) => {
  const [asking, setAsking] = useState(false)
  const { createdAfter, createdBefore, ...rest } = filter
  const chosen =
    createdAfter === undefined && createdBefore === undefined
      ? ANY.value
      : (PRESETS.find(({ value }) => value === createdAfter && createdBefore === undefined)?.value ?? CUSTOM.value)
  return (
    <>
      <Select
        label="Started"
        value={chosen}
        options={[ANY, ...PRESETS, CUSTOM]}
        onChange={(value) => {
          if (value === CUSTOM.value) setAsking(true)
          else onFilter(value === ANY.value ? rest : { ...rest, createdAfter: value })
        }}
      />
      {asking && <RangeDialog filter={filter} onFilter={onFilter} onClose={() => setAsking(false)} />}
    </>
  )
}

const RangeDialog = ({ filter, onFilter, onClose }: TimeFilterProps & { readonly onClose: () => void }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const form = useId()
  const fieldOf = (time: string | undefined) =>
    time === undefined || relativeMs(time) !== undefined ? '' : toTimeField(time, display)
  const [after, setAfter] = useState(() => fieldOf(filter.createdAfter))
  const [before, setBefore] = useState(() => fieldOf(filter.createdBefore))
  const createdAfter = fromTimeField(after, display)
  const createdBefore = fromTimeField(before, display)
  const turned = createdAfter !== undefined && createdBefore !== undefined && createdAfter >= createdBefore

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (turned) return
    const { createdAfter: _, createdBefore: __, ...rest } = filter
    onFilter({ ...rest, ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) })
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Started between"
      description={display === 'utc' ? 'Times are in UTC.' : 'Times are local. Either may be left empty.'}
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            type="submit"
            form={form}
            kind="primary"
            disabledReason={turned ? 'The first time has to be before the second' : undefined}
          >
            Show these
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="grid grid-cols-2 gap-3">
        <Field label="After">
          <TextInput
            type="datetime-local"
            step={1}
            value={after}
            onChange={(event) => setAfter(event.currentTarget.value)}
          />
        </Field>
        <Field label="Before" fault={turned ? 'This is not after the first time' : undefined}>
          <TextInput
            type="datetime-local"
            step={1}
            value={before}
            onChange={(event) => setBefore(event.currentTarget.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}
