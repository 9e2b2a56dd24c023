// The dialog for a custom time range. Loaded when opened.

import { useState } from 'react'
import { relativeMs } from '../../../api/relative-times.ts'
import { SubmitButton } from '../../../parts/submit-button.tsx'
import { useDialogForm } from '../../../parts/use-dialog-form.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import type { ListFilter } from './search-filter.ts'
import { fromTimeField, toTimeField } from './time-field.ts'

export type TimeRangeDialogProps = {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
  readonly onClose: () => void
}

const unlessRelative = (time: string | undefined): string | undefined =>
  time === undefined || relativeMs(time) !== undefined ? undefined : time

export const TimeRangeDialog = ({ filter, onFilter, onClose }: TimeRangeDialogProps) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const firstAfter = unlessRelative(filter.createdAfter)
  const firstBefore = unlessRelative(filter.createdBefore)
  const [after, setAfter] = useState(() => (firstAfter === undefined ? '' : toTimeField(firstAfter, display)))
  const [before, setBefore] = useState(() => (firstBefore === undefined ? '' : toTimeField(firstBefore, display)))
  const createdAfter = fromTimeField(after, display, firstAfter)
  const createdBefore = fromTimeField(before, display, firstBefore)
  const turned = createdAfter !== undefined && createdBefore !== undefined && createdAfter >= createdBefore

  const form = useDialogForm(() => {
    if (turned) return
    const { createdAfter: _, createdBefore: __, ...rest } = filter
    onFilter({ ...rest, ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) })
    onClose()
  })
  return (
    <Dialog
      onClose={onClose}
      title="Started between"
      description={`Times are ${display === 'utc' ? 'in UTC' : 'local'}. Leave either empty for no limit.`}
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} disabledReason={turned ? 'The start must be before the end' : undefined}>
            Apply
          </SubmitButton>
        </>
      }
    >
      <form {...form} className="flex flex-col gap-3">
        <Field label="After">
          <TextInput
            type="datetime-local"
            step={1}
            value={after}
            onChange={(event) => setAfter(event.currentTarget.value)}
          />
        </Field>
        <Field label="Before" fault={turned ? 'The end must be after the start' : undefined}>
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
