import { Check, Copy } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { count, plural } from '../../../../parts/format.ts'
import { Button } from '../../../../ui/button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { notify, notifyFault } from '../../../../ui/toasts.tsx'
import { EntryTime, EntryTimesSelect } from '../entry/entry-time.tsx'
import { Unsearched } from '../history/unsearched.tsx'
import { useTextSearch } from '../history/use-text-search.ts'
import { dataOf, type EntryLine, LOG_LEVELS, type LogLevel, messageIn } from '../journal/entry-line.ts'
import { type JournalView, useWholeEntries } from '../journal/journal-query.ts'
import type { JournalTabProps } from '../journal/tab-props.ts'
import { JournalState } from '../journal/journal-state.tsx'
import { indexOfKey } from '../journal/journal.ts'
import { SearchField } from '../../../../parts/search-field.tsx'
import { ToggleChips } from '../../../../ui/toggle-chips.tsx'
import { useView } from '../use-view.ts'
import { VirtualGrid } from '../virtual-grid.tsx'
import { countLevels, logRows, logText } from './log-rows.ts'
import { visible } from '../../../../ui/visible.tsx'
import { writeToClipboard } from '../../../../ui/write-to-clipboard.ts'

const COLUMNS =
  'grid grid-cols-[7rem_3rem_minmax(14rem,1fr)] gap-x-4 group-data-narrow/grid:grid-cols-[7rem_minmax(0,1fr)] group-data-narrow/grid:content-center'
const LEVEL_CLASSES: Readonly<Record<LogLevel, string>> = {
  debug: 'text-faint',
  info: 'text-soft',
  warn: 'font-medium text-waiting',
  error: 'font-medium text-failed',
}

export const LogsTab = ({ execution, view, isLive, entry, onSelect }: JournalTabProps) => {
  const { journal, version } = view
  const { params, change } = useView()
  const text = params.q ?? ''
  const levels = LOG_LEVELS.filter((level) => params.level?.includes(level) === true)
  const search = useTextSearch(execution.id, view, useDeferredValue(text))
  const rows = useMemo(
    () => logRows(journal.moments.logs, levels, search.matches),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version, levels.join(), search.matches],
  )
  const counts = useMemo(
    () => countLevels(journal.moments.logs),
    // oxlint-disable-next-line react/exhaustive-deps -- as above
    [journal, version],
  )
  const isFiltered = levels.length > 0 || text !== ''
  const start = journal.span()?.from ?? 0

  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-5 py-1.5">
        <SearchField
          label="Search the logs"
          value={text}
          onChange={(next) => change({ q: next === '' ? undefined : next })}
        />
        <ToggleChips
          label="Levels"
          options={LOG_LEVELS.map((value) => ({ value, label: `${value} ${count(counts.get(value)!)}` }))}
          chosen={levels}
          onChange={(next) => change({ level: next.length === 0 ? undefined : next })}
        />
        <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:w-full">
          <JournalState view={view} isLive={isLive} shown={plural(rows.length, 'log')} />
          <Unsearched search={search} />
          <EntryTimesSelect />
          <CopyLogs executionId={execution.id} view={view} rows={rows} />
        </div>
      </div>
      {rows.length === 0 && journal.isWhole() && search.unread === 0 ? (
        <NoLogs isFiltered={isFiltered} onClear={() => change({ q: undefined, level: undefined })} />
      ) : (
        <VirtualGrid<EntryLine>
          label="Logs"
          rows={rows}
          rowKey={(line) => line.position}
          selected={entry === undefined ? -1 : indexOfKey(rows, entry, (line) => line.position)}
          onSelect={(line) => onSelect(line.position)}
          header={<Header />}
          cells={(line) => <Cells line={line} start={start} />}
          columns={COLUMNS}
          rowPx={24}
          narrowRowPx={42}
          follows={isLive && journal.isWhole()}
        />
      )}
    </>
  )
}

const NoLogs = ({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) =>
  isFiltered ? (
    <EmptyState title="No log matches" actions={<Button onClick={onClear}>Clear the filter</Button>} />
  ) : (
    <EmptyState title="No logs">
      What the Program writes with <code className="font-mono text-xs">ctx.log</code> or{' '}
      <code className="font-mono text-xs">console</code> is shown here.
    </EmptyState>
  )

const Header = () => (
  <>
    <span role="columnheader">Time</span>
    <span role="columnheader">Level</span>
    <span role="columnheader" className="group-data-narrow/grid:sr-only">
      Message
    </span>
  </>
)

const Cells = memo(({ line, start }: { readonly line: EntryLine; readonly start: number }) => (
  <>
    <span role="gridcell">
      <EntryTime at={line.at} start={start} />
    </span>
    <span role="gridcell" className={classNames('font-mono text-xs', LEVEL_CLASSES[line.level ?? 'info'])}>
      {line.level}
    </span>
    <span role="gridcell" dir="auto" className="truncate font-mono text-xs group-data-narrow/grid:col-[1/-1]">
      {visible(line.summary)}
    </span>
  </>
))

/** Copies the visible logs, with long messages in full. */
const CopyLogs = ({
  executionId,
  view,
  rows,
}: {
  readonly executionId: string
  readonly view: JournalView
  readonly rows: readonly EntryLine[]
}) => {
  const [phase, setPhase] = useState<'idle' | 'reading' | 'copied'>('idle')
  const readWhole = useWholeEntries(executionId, view.journal)
  const copy = async () => {
    setPhase('reading')
    try {
      const large = rows.filter((line) => line.text === undefined).map((line) => line.position)
      const messages = new Map<number, string>()
      for await (const entry of readWhole(large)) messages.set(entry.position, messageIn(entry.data) ?? '')
      const texts = rows.map((line) =>
        logText(line.at, line.level ?? 'info', messages.get(line.position) ?? messageIn(dataOf(line)) ?? line.summary),
      )
      await writeToClipboard(texts.join('\n'))
      notify(`${plural(rows.length, 'log')} copied`)
      setPhase('copied')
    } catch (error) {
      notifyFault('The logs could not be copied', { detail: error instanceof Error ? error.message : undefined })
      setPhase('idle')
    }
  }
  return (
    <Button
      busy={phase === 'reading'}
      disabledReason={rows.length === 0 ? 'There is nothing to copy' : undefined}
      icon={phase === 'copied' ? <Check size={13} /> : <Copy size={13} />}
      onClick={() => void copy()}
    >
      Copy
    </Button>
  )
}
