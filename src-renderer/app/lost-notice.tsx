import { KeyRound, RotateCw, Unplug } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { connectionProblem, isOwnError } from '../api/connection-problems.ts'
import { useConnection } from '../api/connection.ts'
import { useLiveness, useLiveProblem, useLostAt, useRetry } from '../api/live.ts'
import { Command } from '../parts/command.tsx'
import { useDesktopRuntime } from '../parts/desktop-state.ts'
import { clockTime } from '../parts/format.ts'
import { StartRuntime } from '../parts/runtime-stopped.tsx'
import { focusScreenAfter } from '../ui/focus-screen.ts'
import { useStartedBy } from '../parts/use-started-by.ts'
import { whoIsMissing } from '../parts/without-runtime.ts'
import { openDialog } from '../stores/dialogs.ts'
import { usePreferences } from '../stores/preferences.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'

/**
 * Says that the runtime does not answer, and how old the data on screen is. It covers part of the screen instead of
 * moving it, and disappears by itself; `clear-of-notice` makes room for it below what scrolls. Its accessible name must
 * not contain "Connection", the name of the badge.
 */
export const LostNotice = () => {
  const liveness = useLiveness()
  const state = useDesktopRuntime()
  const startedBy = useStartedBy(liveness === 'live' || liveness === 'polling')
  const lostAt = useLostAt()
  const connection = useConnection()
  const isLocal = connection.kind === 'local'
  const problem = useLiveProblem()
  const said = problem && connection.address !== undefined ? connectionProblem(problem, connection.name) : undefined
  const answer = problem !== undefined && isOwnError(problem) ? problem.message : undefined
  // Without data on screen, the screen itself shows the refusal.
  const refusal = liveness === 'refused' ? (said?.title ?? problem?.message) : undefined
  const missing = whoIsMissing(connection, problem, state)
  const hasOwnNotice = isLocal && (state?.kind === 'crashed' || state?.kind === 'foreign')
  return (
    <div
      role="status"
      aria-label="Availability"
      // While there are toasts, beside them on a wide screen, and above them on others. `--toasts` is their height.
      className="pointer-events-none fixed right-0 bottom-3 left-0 z-30 flex justify-center px-3 sm:left-52 lg:right-[min(99*var(--toasts,0px),23.5rem)] max-lg:bottom-[calc(0.75rem+var(--toasts,0px))]"
    >
      {liveness === 'lost' && !hasOwnNotice && (
        <Notice
          text={answer ?? `${said?.title ?? missing.title}.`}
          isTold={said !== undefined || answer !== undefined || missing.isTold === true}
          action={ACTIONS[missing.offers ?? 'none']}
        >
          {isLocal && state === null && startedBy !== undefined && (
            <span className="basis-full pb-1 text-ink beside-data">
              Start it again: <Command text={startedBy.start} />
            </span>
          )}
        </Notice>
      )}
      {refusal !== undefined && lostAt !== undefined && (
        <Notice
          text={said === undefined ? refusal : `${refusal}.`}
          isTold={said !== undefined}
          action={said?.ways.includes('replace-token') === true ? <ReplaceToken id={connection.id} /> : <RetryNow />}
        />
      )}
    </div>
  )
}

const Notice = ({
  text,
  isTold,
  action,
  children,
}: {
  readonly text: string
  /** A screen without data says it too, with the ways out. */
  readonly isTold: boolean
  readonly action: ReactNode
  readonly children?: ReactNode
}) => (
  <p
    data-notice
    className={classNames(
      isTold && 'beside-data',
      action === undefined ? 'pr-3' : 'pr-1.5',
      'pointer-events-auto flex min-h-10.5 max-w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-waiting/40 bg-waiting-wash py-1.5 pl-3 text-waiting shadow-lg',
    )}
  >
    <span className="flex items-baseline gap-3">
      <Unplug size={14} className="shrink-0 self-center max-sm:self-start" />
      <span>
        {text}
        <span className="beside-data">
          {' '}
          <ShowingDataFrom />
        </span>
      </span>
    </span>
    {action}
    {children}
  </p>
)

const ShowingDataFrom = () => {
  const lostAt = useLostAt()
  const display = usePreferences((preferences) => preferences.timeDisplay)
  return lostAt === undefined ? null : (
    <>
      Showing data from{' '}
      <time dateTime={new Date(lostAt).toISOString()} className="tabular">
        {clockTime(lostAt, display)}
      </time>
      .
    </>
  )
}

/** Another try with the same token would be refused as well. */
const ReplaceToken = ({ id }: { readonly id: string }) => (
  <Button icon={<KeyRound size={13} />} onClick={() => openDialog({ kind: 'replace-token', id })}>
    Replace token
  </Button>
)

/** Shows a retry this long, even when it fails at once. */
const TRYING_MS = 600

const RetryNow = () => {
  const retry = useRetry()
  const [isTrying, setTrying] = useState(false)
  const tryNow = () => {
    retry()
    setTrying(true)
    setTimeout(() => setTrying(false), TRYING_MS)
  }
  return (
    <Button ref={focusScreenAfter} icon={<RotateCw size={13} />} busy={isTrying} onClick={tryNow}>
      Retry now
    </Button>
  )
}

const ACTIONS: Readonly<Record<'start' | 'retry' | 'none', ReactNode>> = {
  start: <StartRuntime />,
  retry: <RetryNow />,
  none: undefined,
}
