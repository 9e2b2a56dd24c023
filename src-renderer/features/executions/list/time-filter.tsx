// The filter by start time: a recent period, or between two times.

import { type ComponentType, useState } from 'react'
import { WHY_NOT_LOADED } from '../../../parts/loaded-when-shown.ts'
import { ANY_TIME, RECENT_TIMES } from '../../../parts/recent-times.ts'
import { Select } from '../../../ui/select.tsx'
import { notifyFault } from '../../../ui/toasts.tsx'
import type { ListFilter } from './search-filter.ts'
import type { TimeRangeDialogProps } from './time-range-dialog.tsx'

const CUSTOM = { value: 'custom', label: 'Custom range' } as const

type TimeFilterProps = {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}

export const TimeFilter = ({ filter, onFilter }: TimeFilterProps) => {
  const [asking, setAsking] = useState<{ readonly Dialog: ComponentType<TimeRangeDialogProps> }>()
  const ask = () => {
    import('./time-range-dialog.tsx').then(
      ({ TimeRangeDialog }) => setAsking({ Dialog: TimeRangeDialog }),
      () => notifyFault('The dialog could not be opened', { detail: WHY_NOT_LOADED }),
    )
  }
  const { createdAfter, createdBefore, ...rest } = filter
  const chosen =
    createdAfter === undefined && createdBefore === undefined
      ? ANY_TIME.value
      : (RECENT_TIMES.find(({ value }) => value === createdAfter && createdBefore === undefined)?.value ?? CUSTOM.value)
  return (
    <>
      <Select
        label="Started"
        className="shrink-0"
        value={chosen}
        options={[ANY_TIME, ...RECENT_TIMES, CUSTOM]}
        onChange={(value) => {
          if (value === CUSTOM.value) ask()
          else onFilter(value === ANY_TIME.value ? rest : { ...rest, createdAfter: value })
        }}
      />
      {asking && <asking.Dialog filter={filter} onFilter={onFilter} onClose={() => setAsking(undefined)} />}
    </>
  )
}
