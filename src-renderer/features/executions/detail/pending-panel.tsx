// What an Execution waits for, since when and until when.

import { Clock3, Inbox, Send, Zap } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Execution, Waiting } from '#sdk/index.ts'
import { useNow } from '../../../parts/clock.ts'
import { count } from '../../../parts/format.ts'
import { Ago, At, Countdown } from '../../../parts/time.tsx'
import { openDialog } from '../../../stores/dialogs.ts'
import { Button } from '../../../ui/button.tsx'
import { type Command, errorBefore } from './journal/commands.ts'
import type { JournalView } from './journal/journal-query.ts'

const SHOWN = 3
const SHOWN_AT_MOST = 200

export const PendingPanel = ({
  execution,
  isDeleted,
  view,
}: {
  readonly execution: Execution
  readonly isDeleted: boolean
  readonly view: JournalView
}) => {
  const { waitingFor, status } = execution
  const [isOpen, setOpen] = useState(false)
  if (isDeleted || (waitingFor.length === 0 && status !== 'queued' && status !== 'cancelling')) return null
  const shown = waitingFor.slice(0, isOpen ? SHOWN_AT_MOST : SHOWN)
  const hidden = waitingFor.length - shown.length
  return (
    <section aria-label="Waiting for" className="border-b border-line px-5 py-2">
      {status === 'queued' && (
        <p className="text-soft">Accepted and stored. It starts as soon as the runtime takes it up.</p>
      )}
      {status === 'cancelling' && (
        <p className="text-soft">
          It is being cancelled: the Program may clean up for up to 30 s, then it ends whatever it does.
        </p>
      )}
      <ul className="max-h-56 overflow-auto" tabIndex={isOpen ? 0 : undefined}>
        {shown.map((awaited, index) => (
          <Awaited key={index} awaited={awaited} executionId={execution.id} commands={view.journal.commands} />
        ))}
      </ul>
      {(hidden > 0 || isOpen) && waitingFor.length > SHOWN && (
        <Button kind="quiet" className="-ml-2.5" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show ${count(hidden)} more`}
        </Button>
      )}
      {isOpen && hidden > 0 && <span className="text-faint">and {count(hidden)} more: see the timeline</span>}
    </section>
  )
}

const Awaited = ({
  awaited,
  executionId,
  commands,
}: {
  readonly awaited: Waiting
  readonly executionId: string
  readonly commands: readonly Command[]
}) => {
  switch (awaited.kind) {
    case 'event':
      return (
        <Row icon={<Inbox size={14} aria-hidden="true" />} name={awaited.name} kind="event">
          <span>
            since <Ago at={awaited.since} />
          </span>
          {awaited.timeoutAt !== undefined && (
            <span>
              times out <Countdown to={awaited.timeoutAt} />
            </span>
          )}
          <Button
            icon={<Send size={13} aria-hidden="true" />}
            aria-label={`Send ${awaited.name}`}
            className="h-6"
            onClick={() => openDialog({ kind: 'send-event', executionId, name: awaited.name })}
          >
            Send
          </Button>
        </Row>
      )
    case 'timer':
      return (
        <Row icon={<Clock3 size={14} aria-hidden="true" />} kind="timer">
          <span>
            wakes <Countdown to={awaited.wakeAt} />
          </span>
          <span className="text-faint">
            at <At at={awaited.wakeAt} />
          </span>
        </Row>
      )
    case 'effect':
      return (
        <Row icon={<Zap size={14} aria-hidden="true" />} name={awaited.name} kind="effect">
          <AttemptState attempt={awaited.attempt} nextAttemptAt={awaited.nextAttemptAt} />
          <span className="min-w-0 flex-1 truncate text-failed">{errorBefore(commands, awaited)}</span>
        </Row>
      )
  }
}

const AttemptState = ({
  attempt,
  nextAttemptAt,
}: {
  readonly attempt: number
  readonly nextAttemptAt: string | undefined
}) => {
  const now = useNow()
  if (nextAttemptAt === undefined || Date.parse(nextAttemptAt) <= now)
    return <span>attempt {attempt} is under way</span>
  return (
    <>
      <span>{attempt === 2 ? 'an attempt failed' : `${attempt - 1} attempts failed`}</span>
      <span>
        attempt {attempt} <Countdown to={nextAttemptAt} />
      </span>
    </>
  )
}

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
  <li className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-0.5 text-soft">
    <span className="flex max-w-full min-w-48 items-center gap-2 text-waiting">
      {icon}
      <span className="text-faint">{kind}</span>
      <span className="min-w-0 font-medium break-words text-ink">{name}</span>
    </span>
    {children}
  </li>
)
