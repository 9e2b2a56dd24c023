// What an Execution waits for, since when and until when.

import { Clock3, Inbox, Send, Zap } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Execution, Waiting } from '#sdk/index.ts'
import { useNow } from '../../../parts/clock.ts'
import { count, plural } from '../../../parts/format.ts'
import { At, Countdown, Elapsed } from '../../../parts/time.tsx'
import { useCannot } from '../../../parts/use-cannot.ts'
import { openDialog } from '../../../stores/dialogs.ts'
import { Button } from '../../../ui/button.tsx'
import { type Attempt, attemptBefore, type Command, commandsBehind } from './journal/commands.ts'
import type { JournalView } from './journal/journal-query.ts'
import { ActEarly } from './act-early.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { visible } from '../../../ui/visible.tsx'

/** Selects the entry at a position. */
type Select = (position: number) => void

const SHOWN = 3
const SHOWN_AT_MOST = 100

export const PendingPanel = ({
  execution,
  isDeleted,
  view,
  onSelect,
}: {
  readonly execution: Execution
  readonly isDeleted: boolean
  readonly view: JournalView
  readonly onSelect: Select
}) => {
  const { waitingFor, status } = execution
  const [isOpen, setOpen] = useState(false)
  const isPending = status === 'queued' || status === 'waiting' || status === 'cancelling'
  if (isDeleted || (waitingFor.length === 0 && !isPending)) return null
  const shown = waitingFor.slice(0, isOpen ? SHOWN_AT_MOST : SHOWN)
  const hidden = waitingFor.length - SHOWN_AT_MOST
  const behind = commandsBehind(view.journal.commands, shown)
  return (
    <section aria-label="Waiting for" className="@container shrink-0 border-b border-line px-5 py-2">
      {status === 'queued' && <p className="text-soft">Queued. It starts as soon as there is capacity.</p>}
      {status === 'cancelling' && (
        <p className="text-soft">Cancelling. The Program has up to 30 s to clean up, then the Execution ends.</p>
      )}
      {status === 'waiting' && waitingFor.length === 0 && (
        <p className="text-soft">
          The Program awaits a promise that no event, timer or effect will settle, so it never continues. Correct the
          Program, and cancel this Execution.
        </p>
      )}
      <ul
        className="flex max-h-56 flex-col gap-x-4 gap-y-0.5 overflow-auto @max-2xl:gap-y-2 @2xl:grid @2xl:grid-cols-[fit-content(40%)_repeat(3,max-content)_1fr]"
        tabIndex={isOpen ? 0 : undefined}
      >
        {shown.map((awaited, index) => (
          <Awaited
            key={index}
            awaited={awaited}
            executionId={execution.id}
            onSelect={onSelect}
            command={behind[index]}
          />
        ))}
      </ul>
      {waitingFor.length > SHOWN && (
        <Button kind="quiet" className="-ml-2.5" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show ${Math.min(waitingFor.length, SHOWN_AT_MOST) - SHOWN} more`}
        </Button>
      )}
      {hidden > 0 && <span className="text-faint">and {count(hidden)} more, see the timeline</span>}
    </section>
  )
}

const Awaited = ({
  awaited,
  executionId,
  command,
  onSelect,
}: {
  readonly awaited: Waiting
  readonly executionId: string
  readonly onSelect: Select
  /** Undefined until the history is read so far. */
  readonly command: Command | undefined
}) => {
  const cannot = useCannot('write')
  switch (awaited.kind) {
    case 'event':
      return (
        <Row icon={<Inbox size={14} />} name={awaited.name} kind="event">
          <span>
            for{' '}
            <Steady>
              <Elapsed from={awaited.since} />
            </Steady>
          </span>
          {awaited.timeoutAt !== undefined && (
            <span>
              times out{' '}
              <Steady>
                <Countdown to={awaited.timeoutAt} />
              </Steady>
            </span>
          )}
          <Actions>
            <Button
              icon={<Send size={13} />}
              aria-label={`Send ${awaited.name}`}
              small
              disabledReason={cannot}
              onClick={() => openDialog({ kind: 'send-event', executionId, name: awaited.name })}
            >
              Send
            </Button>
            {awaited.timeoutAt !== undefined && (
              <ActEarly verb="time-out" executionId={executionId} command={command} />
            )}
          </Actions>
        </Row>
      )
    case 'timer':
      return (
        <Row icon={<Clock3 size={14} />} kind="timer">
          <span>
            wakes{' '}
            <Steady>
              <Countdown to={awaited.wakeAt} />
            </Steady>
          </span>
          <span className="text-faint">
            at <At at={awaited.wakeAt} />
          </span>
          <Actions>
            <ActEarly verb="fire" executionId={executionId} command={command} />
          </Actions>
        </Row>
      )
    case 'effect':
      return (
        <Row icon={<Zap size={14} />} name={awaited.name} kind="effect">
          <AttemptState
            attempt={awaited.attempt}
            nextAttemptAt={awaited.nextAttemptAt}
            retry={<ActEarly verb="retry" executionId={executionId} command={command} />}
          />
          <LastError onSelect={onSelect} attempt={attemptBefore(command)} />
        </Row>
      )
  }
}

const LastError = ({ attempt, onSelect }: { readonly attempt: Attempt | undefined; readonly onSelect: Select }) => {
  const { error, position } = attempt ?? {}
  return (
    <div className="min-w-60 flex-1 wrap-anywhere text-failed @2xl:col-span-full @6xl:col-span-1 @6xl:col-start-5">
      {error !== undefined && position !== undefined && (
        <LongText text={error} cut="line-clamp-2" onShowAll={() => onSelect(position)} />
      )}
    </div>
  )
}

const AttemptState = ({
  attempt,
  nextAttemptAt,
  retry,
}: {
  readonly attempt: number
  /** Stays what it was while the attempt runs. */
  readonly nextAttemptAt: string | undefined
  readonly retry: ReactNode
}) => {
  const now = useNow()
  if (nextAttemptAt === undefined || Date.parse(nextAttemptAt) <= now) return <span>attempt {attempt} is running</span>
  return (
    <>
      <span>{`${plural(attempt - 1, 'attempt')} failed`}</span>
      <span>
        attempt {attempt}{' '}
        <Steady>
          <Countdown to={nextAttemptAt} />
        </Steady>
      </span>
      <Actions>{retry}</Actions>
    </>
  )
}

/** As wide as the longest time, so that the buttons beside it stay where they are while it changes. */
const Steady = ({ children }: { readonly children: ReactNode }) => (
  <span className="inline-block min-w-[12ch]">{children}</span>
)

const Actions = ({ children }: { readonly children: ReactNode }) => (
  <span className="flex gap-x-4 @2xl:col-start-4">{children}</span>
)

/** Its cells are in the columns of the list, where there is room for them. */
const Row = ({
  icon,
  kind,
  name,
  children,
}: {
  readonly icon: ReactNode
  readonly kind: string
  readonly name?: string
  readonly children: ReactNode
}) => (
  <li className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-0.5 text-soft @2xl:col-span-full @2xl:grid @2xl:grid-cols-subgrid">
    {/* As high as a button, so that nothing moves when one comes or goes. */}
    <span className="flex min-h-6 max-w-full items-center gap-2 text-waiting pointer-coarse:min-h-8">
      <span className="shrink-0">{icon}</span>
      <span className="shrink-0 text-faint">{kind}</span>
      <span className="min-w-0 font-medium wrap-anywhere text-ink">{visible(name)}</span>
    </span>
    {children}
  </li>
)
