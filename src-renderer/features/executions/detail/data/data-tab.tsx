import { memo, useDeferredValue, useMemo } from 'react'
import type { Execution, JsonValue } from '#sdk/index.ts'
import { bytes } from '../../../../parts/format.ts'
import { JsonView } from '../../../../parts/json/json-view.tsx'
import { Button } from '../../../../ui/button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { EntryTime } from '../entry/entry-time.tsx'
import { WholeData } from '../entry/whole-data.tsx'
import { Unsearched } from '../history/unsearched.tsx'
import { useTextSearch } from '../history/use-text-search.ts'
import type { JournalTabProps } from '../journal/tab-props.ts'
import { JournalState } from '../journal/journal-state.tsx'
import { indexOfKey } from '../journal/journal.ts'
import { SearchField } from '../../../../parts/search-field.tsx'
import { useView } from '../use-view.ts'
import { VirtualGrid } from '../virtual-grid.tsx'
import { type DataRow, dataRows, valueSize } from './data-rows.ts'
import { visible } from '../../../../ui/visible.tsx'

const COLUMNS =
  'grid grid-cols-[7rem_7.5rem_minmax(8rem,1fr)_4.5rem] gap-x-4 group-data-narrow/grid:grid-cols-[7rem_minmax(0,1fr)_4.5rem] group-data-narrow/grid:content-center'

export const DataTab = (props: JournalTabProps) => {
  const { execution, view } = props
  const { journal, version } = view
  const hasMore = useMemo(
    () => dataRows(journal).length > 0,
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version],
  )
  return (
    // Scrolls on low screens, on which the values and the list would leave each other no room.
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto max-sm:overflow-visible">
      <div className="flex min-h-64 min-w-0 flex-1 max-sm:flex-none max-sm:flex-col">
        <Value title="Input" value={execution.input} nothing="Started without an input" />
        <Result execution={execution} />
      </div>
      {hasMore && <Others {...props} />}
    </div>
  )
}

const Result = ({ execution }: { readonly execution: Execution }) => {
  const { status, error, result } = execution
  if (error !== undefined) return <Value title="Error" value={error} />
  return <Value title="Result" value={result} nothing={NO_RESULT[status] ?? 'None yet'} />
}

const NO_RESULT: Readonly<Partial<Record<Execution['status'], string>>> = {
  completed: 'The Program returned nothing',
  cancelled: 'Cancelled Executions have no result',
}

const Value = ({
  title,
  value,
  nothing,
}: {
  readonly title: string
  readonly value: unknown
  readonly nothing?: string
}) => (
  <div
    className={classNames(
      'flex min-h-0 min-w-0 flex-1 flex-col px-5 pt-2 pb-3 max-sm:flex-none',
      value !== undefined && 'max-sm:min-h-68',
    )}
  >
    <h2 className="mb-1 font-semibold">{title}</h2>
    <JsonView label={title} value={value} {...(nothing !== undefined && { nothing })} className="min-h-0 flex-1" />
  </div>
)

/** Events and effects: a list, and the value of the chosen one. */
const Others = ({ execution, view, isLive, entry, onSelect }: JournalTabProps) => {
  const { journal, version } = view
  const { params, change } = useView()
  const text = params.data ?? ''
  const search = useTextSearch(execution.id, view, useDeferredValue(text))
  const rows = useMemo(
    () => dataRows(journal, search.matches),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version, search.matches],
  )
  const setText = (next: string) => change({ data: next === '' ? undefined : next })
  const selected = entry === undefined ? -1 : indexOfKey(rows, entry, (row) => row.line.position)
  const chosen = rows[selected]
  const start = journal.span()?.from ?? 0
  return (
    <section aria-label="Events and effects" className="flex min-h-48 flex-[1.4] flex-col border-t border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-1.5">
        <h2 className="font-semibold">Events and effects</h2>
        <SearchField label="Search events and effects" value={text} onChange={setText} />
        <div className="ml-auto flex flex-wrap items-center gap-3 max-sm:w-full">
          <JournalState view={view} isLive={isLive} />
          <Unsearched search={search} />
        </div>
      </div>
      {rows.length === 0 && journal.isWhole() && search.unread === 0 ? (
        <EmptyState
          title="No event or effect matches"
          actions={<Button onClick={() => setText('')}>Clear the search</Button>}
        />
      ) : (
        <div className="flex min-h-0 flex-1 upright:flex-col">
          <VirtualGrid<DataRow>
            label="Events and effects"
            rows={rows}
            rowKey={(row) => row.line.position}
            selected={selected}
            onSelect={(row) => onSelect(row.line.position)}
            header={<Header />}
            cells={(row) => <Cells row={row} start={start} />}
            columns={COLUMNS}
            rowPx={28}
            narrowRowPx={46}
            follows={isLive && journal.isWhole()}
          />
          <div className="clear-of-notice flex min-w-0 flex-1 flex-col overflow-auto border-l border-line px-4 py-2 upright:border-t upright:border-l-0">
            {chosen === undefined ? (
              <EmptyState title="Select one to see its value" />
            ) : (
              <WholeData executionId={execution.id} journal={journal} line={chosen.line}>
                {(data) => <Chosen row={chosen} data={data} />}
              </WholeData>
            )}
          </div>
        </div>
      )}
    </section>
  )
}

const Header = () => (
  <>
    <span role="columnheader">Time</span>
    <span role="columnheader">Kind</span>
    <span role="columnheader" className="group-data-narrow/grid:sr-only">
      Name
    </span>
    <span role="columnheader" className="text-right">
      Size
    </span>
  </>
)

const Cells = memo(({ row, start }: { readonly row: DataRow; readonly start: number }) => (
  <>
    <span role="gridcell">
      <EntryTime at={row.line.at} start={start} />
    </span>
    <span role="gridcell" className="text-soft">
      {row.what}
    </span>
    <span role="gridcell" className="truncate group-data-narrow/grid:col-[1/-1] group-data-narrow/grid:row-start-2">
      {visible(row.line.name)}
    </span>
    <span role="gridcell" className="tabular text-right text-faint">
      {bytes(valueSize(row))}
    </span>
  </>
))

const Chosen = ({ row, data }: { readonly row: DataRow; readonly data: JsonValue | undefined }) => {
  const value = (data as Readonly<Record<string, JsonValue>> | undefined)?.[row.member]
  const label = `${row.line.name ?? ''} ${row.what}`
  return (
    <>
      <h3 className="mb-1 font-medium">
        {visible(row.line.name)} <span className="font-normal text-faint">{row.what}</span>
      </h3>
      {value === undefined ? (
        <p className="text-faint">No value.</p>
      ) : (
        <JsonView label={label} value={value} className="min-h-0 flex-1" />
      )}
    </>
  )
}
