// The foot of the rail: what the runtime does, and the switch for it. In a browser, which is served by the runtime
// itself, the page only sees whether it answers.

import { Play, RotateCw, Square } from 'lucide-react'
import { type ReactNode } from 'react'
import { type Liveness } from '../api/live-changes.ts'
import { useLiveness } from '../api/live.ts'
import { desktop, type DesktopApi, type RuntimeState } from '../desktop.ts'
import { useDesktopRuntime } from '../parts/desktop-runtime.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { notifyFault } from '../ui/toasts.tsx'

const ANSWERS: Readonly<Record<Liveness, { readonly text: string; readonly dot: string }>> = {
  connecting: { text: 'Connecting', dot: 'bg-queued-fill' },
  live: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  polling: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  lost: { text: 'No answer', dot: 'bg-failed-fill' },
}

export const RuntimeSwitch = () => {
  const state = useDesktopRuntime()
  const answers = ANSWERS[useLiveness()]
  if (desktop === undefined || state === null) return <Foot text={answers.text} dot={answers.dot} />
  const { text, note, dot } = looksOf(state)
  return <Foot text={text} note={note} dot={dot} actions={<Actions state={state} runtime={desktop.runtime} />} />
}

const Foot = ({
  text,
  note,
  dot,
  actions,
}: {
  readonly text: string
  readonly note?: string | undefined
  readonly dot: string
  readonly actions?: ReactNode
}) => (
  <div className="border-t border-line px-3 py-2.5">
    <div role="status" aria-label="Runtime" className="flex items-center gap-2 px-1">
      <span aria-hidden="true" className={classNames('size-2 shrink-0 rounded-full', dot)} />
      <span className="text-soft">{text}</span>
    </div>
    {note !== undefined && <p className="mt-0.5 px-1 pl-5 text-xs text-faint">{note}</p>}
    {actions !== undefined && <div className="mt-2 flex gap-1.5">{actions}</div>}
  </div>
)

const looksOf = (state: RuntimeState): { readonly text: string; readonly note?: string; readonly dot: string } => {
  switch (state.kind) {
    case 'stopped':
      return { text: 'Runtime stopped', dot: 'bg-cancelled-fill' }
    case 'starting':
      return { text: 'Runtime starting', dot: 'bg-running-fill' }
    case 'ready':
      return state.owned
        ? { text: 'Runtime ready', note: `Port ${state.port}`, dot: 'bg-completed-fill' }
        : {
            text: 'Runtime attached',
            note: `Port ${state.port}, started elsewhere (pid ${state.pid})`,
            dot: 'bg-completed-fill',
          }
    case 'stopping':
      return { text: 'Runtime stopping', dot: 'bg-waiting-fill' }
    case 'crashed':
      return { text: 'Runtime crashed', dot: 'bg-failed-fill' }
    case 'foreign':
      return { text: 'Port taken', note: `Something else holds ${state.port}`, dot: 'bg-failed-fill' }
  }
}

const complain = (error: unknown) =>
  notifyFault(
    'The runtime did not do that',
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error),
  )

const Actions = ({ state, runtime }: { readonly state: RuntimeState; readonly runtime: DesktopApi['runtime'] }) => {
  const start = (
    <Button
      kind="primary"
      className="flex-1 justify-center"
      icon={<Play size={13} aria-hidden="true" />}
      onClick={() => void runtime.start().catch(complain)}
    >
      Start runtime
    </Button>
  )
  switch (state.kind) {
    case 'stopped':
      return start
    case 'starting':
    case 'stopping':
      return <p className="px-1 text-xs text-faint">{state.kind === 'starting' ? 'A moment' : 'Parking Executions'}</p>
    case 'ready':
      return state.owned ? (
        <>
          <Button
            className="flex-1 justify-center"
            icon={<Square size={12} aria-hidden="true" />}
            onClick={() => void runtime.stop().catch(complain)}
          >
            Stop runtime
          </Button>
          <IconButton label="Restart runtime" kind="plain" onClick={() => void runtime.restart().catch(complain)}>
            <RotateCw size={14} aria-hidden="true" />
          </IconButton>
        </>
      ) : undefined
    case 'crashed':
      return (
        <Button
          kind="primary"
          className="flex-1 justify-center"
          icon={<RotateCw size={13} aria-hidden="true" />}
          onClick={() => void runtime.restart().catch(complain)}
        >
          Restart runtime
        </Button>
      )
    case 'foreign':
      return start
  }
}
