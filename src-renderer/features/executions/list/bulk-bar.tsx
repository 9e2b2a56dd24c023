// The bar below the list: bulk actions on the selected Executions, and their progress.

import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ban, RotateCw, Trash2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Bulk, BulkAction } from '#sdk/index.ts'
import { bulkQuery, isForgottenBulk, type Place } from '../../../api/executions-query.ts'
import { failureOf } from '../../../api/failures.ts'
import { useScope } from '../../../api/scope.ts'
import { count } from '../../../parts/format.ts'
import { ProgressBar } from '../../../parts/progress-bar.tsx'
import { useCannot } from '../../../parts/use-cannot.ts'
import { paths } from '../../../paths.ts'
import type { FollowedBulk } from '../../../stores/followed-bulks.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { focusScreenAfter } from '../../../ui/focus-screen.ts'
import { BULK_WORDS, outcomeOf, possibleIn, progressOf } from './bulk.ts'
import type { ListFilter } from './search-filter.ts'
import { isEmpty, type Selection } from './selection.ts'
import { useBulk } from './use-bulk.ts'
import type { SelectionState } from './use-selection.ts'

export type BulkBarProps = {
  readonly place: Place
  readonly filter: ListFilter
  readonly selection: SelectionState
  readonly total: number | undefined
}

const ACTIONS: readonly { readonly action: BulkAction; readonly Icon: typeof Ban; readonly danger?: true }[] = [
  { action: 'run-again', Icon: RotateCw },
  { action: 'cancel', Icon: Ban },
  { action: 'delete', Icon: Trash2, danger: true },
]

export const BulkBar = ({ place, filter, selection, total }: BulkBarProps) => {
  const bulk = useBulk(place.scope, filter, selection)
  const { followed } = bulk
  const progress = useQuery({ ...bulkQuery(useScope(), followed?.id ?? ''), enabled: followed !== undefined })
  const isRunning = followed !== undefined && !hasEnded(progress)
  const cannot = useCannot('write')
  const clear = () => {
    selection.clear()
    // The button goes with the selection, and would take the focus with it. The row may be far from what is in view.
    document.querySelector<HTMLElement>('[data-row-focus][tabindex="0"]')?.focus({ preventScroll: true })
  }
  return (
    // Where the whole page scrolls, it stays in view.
    <div className="sticky bottom-0 z-20 not-empty:clear-of-notice">
      {followed !== undefined && (
        <BulkProgress query={progress} followed={followed} stop={bulk.stop} forget={bulk.forget} />
      )}
      {!isEmpty(selection.selection) && (
        <Bar label="Selection">
          <p role="status" className="tabular font-medium">
            {whatIsChosen(selection.selection, total)}
          </p>
          <IconButton label="Clear the selection" className="-ml-2" onClick={clear}>
            <X size={14} />
          </IconButton>
          {selection.selection.kind === 'rows' && (total === undefined || total > selection.selection.ids.size) && (
            <Button kind="quiet" onClick={selection.selectAll}>
              Select all{total === undefined ? '' : ` ${count(total)}`} that match
            </Button>
          )}
          <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
            {ACTIONS.map(({ action, Icon, danger }) => (
              <Button
                key={action}
                ref={focusScreenAfter}
                kind={danger === true ? 'danger' : 'plain'}
                icon={<Icon size={14} className="max-sm:hidden" />}
                busy={bulk.starting}
                disabledReason={cannot ?? whyNot(action, filter, selection.selection, isRunning)}
                onClick={() => void bulk.start(action)}
              >
                {BULK_WORDS[action].button}
              </Button>
            ))}
          </div>
        </Bar>
      )}
    </div>
  )
}

const whatIsChosen = (selection: Selection, total: number | undefined): string => {
  if (selection.kind === 'rows') return `${count(selection.ids.size)} selected`
  if (total === undefined) return 'All matches are selected'
  return total === 1 ? 'The only match is selected' : `All ${count(total)} matches are selected`
}

const hasEnded = ({ data, error }: UseQueryResult<Bulk>): boolean =>
  isForgottenBulk(error) || (data !== undefined && data.status !== 'running')

const whyNot = (action: BulkAction, filter: ListFilter, selection: Selection, busy: boolean): string | undefined => {
  if (busy) return 'Wait for the running bulk action'
  if (selection.kind === 'rows' || possibleIn(filter, action) !== undefined) return undefined
  return `None of the matches can be ${BULK_WORDS[action].done.toLowerCase()}`
}

const Bar = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <section
    aria-label={label}
    className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1.5 border-t border-line-strong bg-raised px-4 py-1.5"
  >
    {children}
  </section>
)

const BulkProgress = ({
  query: { data: bulk, error },
  followed,
  stop,
  forget,
}: {
  readonly query: UseQueryResult<Bulk>
  readonly followed: FollowedBulk
  readonly stop: () => void
  readonly forget: () => void
}) => {
  const navigate = useNavigate()
  const isForgotten = isForgottenBulk(error)
  if (bulk === undefined || isForgotten) {
    if (error === null) return null
    return (
      <Bar label="Bulk action">
        <p role="status" className="text-soft">
          {isForgotten
            ? 'This bulk action is no longer known. Part of it may not have been done.'
            : `The progress could not be loaded: ${failureOf(error).message}`}
        </p>
        <Button ref={focusScreenAfter} className="ml-auto" onClick={forget}>
          Dismiss
        </Button>
      </Bar>
    )
  }
  const running = bulk.status === 'running'
  const outcome = running ? undefined : outcomeOf(bulk, followed)
  return (
    <Bar label="Bulk action">
      {running && (
        <ProgressBar label={BULK_WORDS[bulk.action].doing} value={bulk.done + bulk.failed} max={bulk.matched} />
      )}
      <p role="status" aria-busy={running} className="tabular">
        {progressOf(bulk)}
      </p>
      <div className="ml-auto flex items-center gap-2">
        {outcome !== undefined && <Button onClick={() => void navigate(paths.executions(outcome))}>Show them</Button>}
        <Button ref={focusScreenAfter} onClick={running ? stop : forget}>
          {running ? 'Stop' : 'Dismiss'}
        </Button>
      </div>
    </Bar>
  )
}
