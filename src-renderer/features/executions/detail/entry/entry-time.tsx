import { bothTimes } from '../../../../parts/format.ts'
import { usePreferences } from '../../../../stores/preferences.ts'
import { Select } from '../../../../ui/select.tsx'
import { clockTime, sinceStart } from './entry-words.ts'

/** The time of an entry in the preferred form. `start` is the start of the Execution. */
export const EntryTime = ({ at, start }: { readonly at: number; readonly start: number }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const times = usePreferences((preferences) => preferences.entryTimes)
  return (
    <time
      dateTime={new Date(at).toISOString()}
      // Made on hover, because there are thousands of rows.
      onPointerEnter={({ currentTarget }) => (currentTarget.title = bothTimes(at))}
      className="tabular font-mono text-xs whitespace-nowrap text-soft"
    >
      {times === 'clock' ? clockTime(at, start, display) : sinceStart(at, start)}
    </time>
  )
}

/** Selects the form of the entries' times. */
export const EntryTimesSelect = () => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const times = usePreferences((preferences) => preferences.entryTimes)
  return (
    <Select
      label="Times"
      value={times === 'clock' ? display : 'since-start'}
      options={[
        { value: 'local', label: 'Local' },
        { value: 'utc', label: 'UTC' },
        { value: 'since-start', label: 'Since start' },
      ]}
      onChange={(next) =>
        usePreferences.setState(
          next === 'since-start' ? { entryTimes: 'since-start' } : { entryTimes: 'clock', timeDisplay: next },
        )
      }
    />
  )
}
