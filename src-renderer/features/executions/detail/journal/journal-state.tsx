import { LoaderCircle, TriangleAlert } from 'lucide-react'
import { failureOf } from '../../../../api/failures.ts'
import { plural } from '../../../../parts/format.ts'
import { Button } from '../../../../ui/button.tsx'
import { classNames } from '../../../../ui/class-names.ts'
import type { JournalView } from './journal-query.ts'

/**
 * Shows how much of the history is loaded. `shown` is the number of visible entries, in words. While the history grows, screen
 * readers would read each number aloud, so they do not hear of it.
 */
export const JournalState = ({
  view,
  isLive,
  shown,
}: {
  readonly view: JournalView
  readonly isLive: boolean
  readonly shown?: string | undefined
}) => {
  const { journal, readOn } = view
  const isPaused = journal.isPaused()
  const failure = view.error === null ? undefined : failureOf(view.error)
  // A notice above all screens already says that the runtime does not answer.
  const error = failure?.kind === 'offline' ? undefined : failure
  const read = journal.lines.length
  const isLoading = !journal.isWhole() && !isPaused && error === undefined
  return (
    <div
      role="status"
      aria-label="History loaded"
      aria-live={isLoading || (isLive && !isPaused && error === undefined) ? 'off' : 'polite'}
      // In a line of its own where there is little room: what stands beside it would move as the text grows and shrinks.
      className="tabular flex items-center gap-2 text-xs text-faint max-sm:basis-full"
    >
      {error !== undefined && (
        <span className="flex items-center gap-1 text-failed">
          <TriangleAlert size={13} />
          {error.message}
        </span>
      )}
      {/* Keeps its room: what stands beside it would move at the end. */}
      <LoaderCircle size={12} className={classNames('shrink-0 animate-spin', !isLoading && 'invisible')} />
      <span>
        {shown !== undefined && `${shown} of `}
        {plural(read, 'entry', 'entries')}
        {isLoading && <span className="sr-only"> loaded, loading more</span>}
      </span>
      {isPaused && (
        <>
          <span>loaded; the rest is large</span>
          <Button small onClick={readOn}>
            Load more
          </Button>
        </>
      )}
      {error !== undefined && (
        <Button small onClick={readOn}>
          Try again
        </Button>
      )}
    </div>
  )
}
