import { useDeferredValue, useMemo } from 'react'
import { count } from '../../../../parts/format.ts'
import { Button } from '../../../../ui/button.tsx'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { Segmented } from '../../../../ui/segmented.tsx'
import { Select } from '../../../../ui/select.tsx'
import { EntryTimesSelect } from '../entry/entry-time.tsx'
import type { EntryLine } from '../journal/entry-line.ts'
import type { JournalTabProps } from '../journal/tab-props.ts'
import { JournalState } from '../journal/journal-state.tsx'
import { SearchField } from '../../../../parts/search-field.tsx'
import { ToggleChips } from '../../../../ui/toggle-chips.tsx'
import { useView } from '../use-view.ts'
import { VirtualGrid } from '../virtual-grid.tsx'
import { HISTORY_COLUMNS, HistoryCells, HistoryHeader } from './history-cells.tsx'
import { ENTRY_KINDS, type EntryKind, type HistoryFilter, historyRows, namesIn, rowIndexOf } from './history-rows.ts'
import { Unsearched } from './unsearched.tsx'
import { useTextSearch } from './use-text-search.ts'

const KIND_LABELS: Readonly<Record<EntryKind, string>> = {
  execution: 'Execution',
  effect: 'Effects',
  timer: 'Timers',
  wait: 'Waits',
  event: 'Events',
  log: 'Logs',
}
const ANY_NAME = ''

export const HistoryTab = ({ execution, view, isLive, entry, onSelect }: JournalTabProps) => {
  const { journal, version } = view
  const filter = useFilter()
  const search = useTextSearch(execution.id, view, useDeferredValue(filter.text))
  const { layout, kinds, name } = filter
  const rows = useMemo(
    () => historyRows(journal, { view: layout, kinds, name }, search.matches),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version, layout, kinds.join(), name, search.matches],
  )
  const names = useMemo(
    () => namesIn(journal),
    // oxlint-disable-next-line react/exhaustive-deps -- as above
    [journal, version],
  )
  const isFiltered = kinds.length > 0 || name !== undefined || filter.text !== ''
  const start = journal.span()?.from ?? 0

  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-5 py-1.5">
        <SearchField label="Search the history" value={filter.text} onChange={filter.setText} />
        <ToggleChips
          label="Types"
          options={ENTRY_KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
          chosen={kinds}
          onChange={filter.setKinds}
        />
        {(names.length > 0 || name !== undefined) && (
          <Select
            label="Name"
            value={name ?? ANY_NAME}
            options={[
              { value: ANY_NAME, label: 'Any name' },
              ...shownNames(names, name).map((value) => ({ value, label: value })),
            ]}
            onChange={filter.setName}
            className="max-w-40"
          />
        )}
        <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:w-full">
          <JournalState view={view} isLive={isLive} shown={isFiltered ? count(rows.length) : undefined} />
          <Unsearched search={search} />
          <EntryTimesSelect />
          <Segmented
            label="View"
            value={layout}
            options={[
              { value: 'compact', label: 'Compact' },
              { value: 'full', label: 'Full' },
            ]}
            onChange={filter.setLayout}
          />
        </div>
      </div>
      {rows.length === 0 && isFiltered && journal.isWhole() && search.unread === 0 ? (
        <EmptyState title="No entry matches" actions={<Button onClick={filter.clear}>Clear the filter</Button>}>
          None of {count(journal.lines.length)} entries matches the filter.
        </EmptyState>
      ) : (
        <VirtualGrid<EntryLine>
          label="History"
          rows={rows}
          rowKey={positionOf}
          selected={rowIndexOf(journal, rows, entry, layout)}
          onSelect={(line) => onSelect(line.position)}
          header={<HistoryHeader />}
          cells={(line) => (
            <HistoryCells
              line={line}
              command={layout === 'compact' && line.command !== undefined ? journal.commandOf(line.command) : undefined}
              start={start}
            />
          )}
          columns={HISTORY_COLUMNS}
          rowPx={28}
          narrowRowPx={46}
          follows={isLive && journal.isWhole()}
        />
      )}
    </>
  )
}

/** Includes the selected name even when no entry has it. */
const shownNames = (names: readonly string[], chosen: string | undefined): readonly string[] => {
  const shown = names.slice(0, 500)
  return chosen === undefined || shown.includes(chosen) ? shown : [chosen, ...shown]
}

const positionOf = (line: EntryLine): number => line.position

const layoutOf = (view: string | undefined): HistoryFilter['view'] => (view === 'full' ? 'full' : 'compact')

/** The filter is kept in the URL. */
const useFilter = () => {
  const { params, change } = useView()
  const kinds = ENTRY_KINDS.filter((kind) => params.type?.includes(kind) === true)
  return {
    text: params.q ?? '',
    kinds,
    name: params.name,
    layout: layoutOf(params.view),
    setText: (text: string) => change({ q: text === '' ? undefined : text }),
    setKinds: (next: readonly EntryKind[]) => change({ type: next.length === 0 ? undefined : next }),
    setName: (next: string) => change({ name: next === ANY_NAME ? undefined : next }),
    setLayout: (next: HistoryFilter['view']) => change({ view: next === 'full' ? 'full' : undefined }),
    clear: () => change({ q: undefined, type: undefined, name: undefined }),
  }
}
