import { useState } from 'react'
import { TextInput } from '../../ui/field.tsx'
import { type Days, daysFault } from './ranges.ts'

/** The first and the last day; reported once both can be shown. */
export const OwnDays = ({ days, onChange }: { readonly days: Days; readonly onChange: (days: Days) => void }) => {
  const [typed, setTyped] = useState(days)
  const [given, setGiven] = useState(days)
  if (given.from !== days.from || given.to !== days.to) {
    setGiven(days)
    setTyped(days)
  }
  const fault = daysFault(typed)
  const change = (part: Partial<Days>) => {
    const next = { ...typed, ...part }
    setTyped(next)
    if (daysFault(next) === undefined) onChange(next)
  }
  return (
    <div role="group" aria-label="Days in UTC" className="flex flex-wrap items-center gap-2 max-sm:gap-1">
      <TextInput
        type="date"
        aria-label="First day"
        aria-invalid={fault !== undefined}
        value={typed.from}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <span aria-hidden="true" className="text-faint">
        –
      </span>
      <TextInput
        type="date"
        aria-label="Last day"
        aria-invalid={fault !== undefined}
        value={typed.to}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      <span role="status" className="text-xs text-danger empty:hidden">
        {fault}
      </span>
    </div>
  )
}
