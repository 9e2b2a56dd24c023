// The screen of one Execution.

import { useQuery } from '@tanstack/react-query'
import { SearchX, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { isTerminal } from '../../../api/capabilities.ts'
import { useConnection } from '../../../api/connection.ts'
import { failureOf } from '../../../api/failures.ts'
import { executionQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { type ExecutionTab, EXECUTION_TABS } from '../../../paths.ts'
import { ToExecutions } from '../../../parts/nowhere.tsx'
import { InsteadOfData } from '../../../parts/query-content.tsx'
import { QueryFault } from '../../../parts/query-fault.tsx'
import { QueryLoading } from '../../../parts/query-loading.tsx'
import { useHold } from '../../../parts/use-hold.ts'
import type { Execution } from '#sdk/index.ts'
import { classNames } from '../../../ui/class-names.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { visible } from '../../../ui/visible.tsx'
import { BackLink } from '../list/back-link.tsx'
import { DataTab } from './data/data-tab.tsx'
import { EntryPane } from './entry/entry-pane.tsx'
import { ErrorPanel } from './failure/error-panel.tsx'
import { ExecutionHeader } from './header/execution-header.tsx'
import { StatusAnnouncement } from './header/status-announcement.tsx'
import { ValuesStrip } from './header/values-strip.tsx'
import { HistoryTab } from './history/history-tab.tsx'
import { journalQuery, useJournal } from './journal/journal-query.ts'
import { LogsTab } from './logs/logs-tab.tsx'
import { PendingPanel } from './pending-panel.tsx'
import { TimelineTab } from './timeline/timeline-tab.tsx'
import { useSelectEntry, useView } from './use-view.ts'

export type ExecutionPageProps = {
  readonly id: string
  readonly tab: ExecutionTab
  /** The position of the selected history entry. */
  readonly entry: number | undefined
}

export const ExecutionPage = ({ id, tab, entry }: ExecutionPageProps) => {
  const scope = useScope()
  const query = useQueryKeepingError(executionQuery(scope, id))
  const { data: execution, error } = query
  // Loads the history at the same time. The components that show it re-render; this one does not.
  useQuery({ ...journalQuery(scope, id), notifyOnChangeProps: [] })
  const isMissing = error !== null && failureOf(error).kind === 'missing'
  if (execution === undefined) {
    if (isMissing) return <Missing id={id} />
    return (
      <>
        <PageHeader back={<BackLink />} title={id} />
        <InsteadOfData what="this Execution" query={query} />
      </>
    )
  }
  return (
    <>
      <ExecutionHeader execution={execution} isDeleted={isMissing} />
      {isMissing && <Deleted />}
      <StatusAnnouncement status={execution.status} />
      <History execution={execution} isDeleted={isMissing} tab={tab} entry={entry} />
    </>
  )
}

const TAB_LABELS: Readonly<Record<ExecutionTab, string>> = {
  timeline: 'Timeline',
  history: 'History',
  data: 'Data',
  logs: 'Logs',
}

const History = ({
  execution,
  isDeleted,
  tab,
  entry,
}: Omit<ExecutionPageProps, 'id'> & { readonly execution: Execution; readonly isDeleted: boolean }) => {
  const { id, status } = execution
  const scope = useScope()
  const journal = useJournal(id)
  // The last known history of a deleted Execution stays on screen; loading it again is pointless.
  const view = isDeleted ? { ...journal, error: null } : journal
  const content = useRef<HTMLDivElement>(null)
  const { change } = useView()
  const select = useSelectEntry()
  const isLive = !isTerminal(status) && !isDeleted
  const isUnread = view.journal.lines.length === 0 && !view.journal.isWhole()
  // The Data tab shows input and result, which do not come from the history.
  const shown = isUnread && tab !== 'data' ? 'nothing yet' : tab
  // What the history tells of an error makes its panel higher: what is below is shown after that, so that it never moves.
  const awaitsError = useHold(execution.error !== undefined && shown === 'nothing yet' && view.error === null)
  const loading = <QueryLoading what="the history" queryKey={journalQuery(scope, id).queryKey} />
  const line = entry === undefined ? undefined : view.journal.lineAt(entry)
  const isEntryOpen = line !== undefined && tab !== 'data'
  const shared = { execution, view, isLive, entry, onSelect: select }
  return (
    <>
      {tab !== 'data' && <ValuesStrip execution={execution} />}
      <PendingPanel execution={execution} isDeleted={isDeleted} view={view} onSelect={select} />
      {execution.error !== undefined && (
        <ErrorPanel execution={execution} error={execution.error} view={view} onSelect={select} />
      )}
      <div
        className={classNames(
          // A long error shrinks before the timeline does.
          'flex min-h-72 flex-1 flex-col max-sm:shrink-0 sm:short:min-h-[32rem] sm:short:shrink-0',
          tab === 'data' ? 'max-sm:min-h-[72rem]' : 'max-sm:min-h-[32rem]',
        )}
      >
        {awaitsError ? (
          loading
        ) : (
          <Tabs
            label="Views of this Execution"
            tabs={EXECUTION_TABS.map((value) => ({ value, label: TAB_LABELS[value] }))}
            value={tab}
            onChange={(next) => change({ tab: next === 'timeline' ? undefined : next }, 'push')}
          >
            {view.error !== null && view.journal.lines.length === 0 ? (
              <QueryFault what="the history" error={view.error} onRetry={view.readOn} />
            ) : (
              <div
                ref={content}
                className={classNames(
                  'relative flex min-h-0 flex-1 upright:flex-col',
                  isEntryOpen && 'not-print:[container:views/size]',
                )}
              >
                <div className={classNames('flex min-h-0 min-w-0 flex-1 flex-col', isEntryOpen && 'crowded:invisible')}>
                  {shown === 'nothing yet' && loading}
                  {shown === 'timeline' && <TimelineTab {...shared} />}
                  {shown === 'history' && <HistoryTab {...shared} />}
                  {shown === 'data' && <DataTab {...shared} />}
                  {shown === 'logs' && <LogsTab {...shared} />}
                </div>
                {isEntryOpen && (
                  <EntryPane
                    execution={execution}
                    journal={view.journal}
                    line={line}
                    onSelect={select}
                    onClose={() => select(undefined)}
                    onClosed={() => content.current?.querySelector<HTMLElement>('[role="grid"]')?.focus()}
                  />
                )}
              </div>
            )}
          </Tabs>
        )}
      </div>
    </>
  )
}

const Missing = ({ id }: { readonly id: string }) => {
  const isLocal = useConnection().kind === 'local'
  return (
    <>
      <PageHeader back={<BackLink />} title="Execution" />
      <EmptyState icon={<SearchX size={28} />} title="Execution not found" actions={<ToExecutions />}>
        <p>
          <span className="font-mono text-xs break-all">{visible(id)}</span> is not in this{' '}
          {isLocal ? 'service' : 'workspace'}. It may have been deleted, it may be in another{' '}
          {isLocal ? 'data directory' : 'workspace'}, or the address is incomplete.
        </p>
      </EmptyState>
    </>
  )
}

const Deleted = () => (
  <p
    role="status"
    className="flex items-center gap-2 border-b border-line bg-cancelled-wash px-5 py-1.5 text-cancelled"
  >
    <Trash2 size={14} />
    This Execution was deleted. The page shows its last known state.
    <span className="ml-auto">
      <ToExecutions />
    </span>
  </p>
)
