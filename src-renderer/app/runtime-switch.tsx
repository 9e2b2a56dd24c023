// The runtime's state at the end of the rail. In the desktop app, also the buttons that start and stop it.

import { Play, RotateCw, Square } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { type Liveness } from '../api/live-changes.ts'
import { useLiveness } from '../api/live.ts'
import { localHealthQuery } from '../api/local-health.ts'
import { desktop, type DesktopApi, type RuntimeState } from '../desktop.ts'
import { askDesktop } from '../parts/ask-desktop.ts'
import { useClock } from '../parts/clock.ts'
import { useDesktopRuntime } from '../parts/desktop-state.ts'
import { focusScreenAfter } from '../ui/focus-screen.ts'
import { useFullDisk } from '../parts/use-started-by.ts'
import { type RuntimeVerb, runtimeVerbs } from '../parts/runtime-verbs.ts'
import { upgradeProgress } from '../parts/without-runtime.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { visible } from '../ui/visible.tsx'

const ANSWERS: Readonly<Record<Liveness, { readonly text: string; readonly dot: string }>> = {
  connecting: { text: 'Connecting', dot: 'bg-queued-fill' },
  live: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  polling: { text: 'Runtime ready', dot: 'bg-completed-fill' },
  lost: { text: 'Not answering', dot: 'bg-failed-fill' },
  refused: { text: 'Token required', dot: 'bg-waiting-fill' },
}

/** It answers, but refuses what must be stored. */
const DISK_FULL = { text: 'Disk full', note: 'Nothing can be stored', dot: 'bg-failed-fill' }

/** The local runtime, also while a hosted service is shown. */
export const RuntimeSwitch = () => {
  const state = useDesktopRuntime()
  const isShown = useConnection().kind === 'local'
  const isDiskFull = useFullDisk() !== undefined
  if (desktop !== undefined && state !== null) {
    const isUnable = isDiskFull && state.kind === 'ready'
    const { text, note, dot } = isUnable ? DISK_FULL : looksOf(state, isShown ? 'Runtime' : 'Local runtime')
    return <Foot text={text} note={note} dot={dot} actions={<Actions state={state} runtime={desktop.runtime} />} />
  }
  if (isShown) return isDiskFull ? <Foot {...DISK_FULL} /> : <Answering />
  return desktop === undefined ? <Health /> : <Unknown />
}

const Answering = () => <Foot {...ANSWERS[useLiveness()]} />

/** A page in a browser asks the runtime that serves it. */
const Health = () => {
  const { data: isHealthy } = useQuery(localHealthQuery)
  if (isHealthy === undefined) return <Unknown />
  return isHealthy ? (
    <Foot text="Local runtime ready" dot="bg-completed-fill" />
  ) : (
    <Foot text="Local runtime not answering" dot="bg-failed-fill" />
  )
}

/** Until it is known. */
const Unknown = () => <Foot text="Local runtime" dot="bg-queued-fill" />

export const Foot = ({
  label = 'Runtime',
  text,
  note,
  dot,
  actions,
}: {
  readonly label?: string
  readonly text: string
  readonly note?: string | undefined
  readonly dot: string
  readonly actions?: ReactNode
}) => (
  <div className="border-t border-line px-3 py-2.5 low:flex low:flex-wrap low:items-center low:gap-2 low:py-1 max-sm:flex-1">
    <div className="min-w-0 low:grow-999 low:basis-24">
      <div role="status" aria-label={label} className="flex items-center gap-2 px-1 low:text-xs low:leading-4">
        <span aria-hidden="true" className={classNames('size-2 shrink-0 rounded-full forced-color-adjust-none', dot)} />
        <span className="text-soft">{text}</span>
      </div>
      {note !== undefined && (
        <p className="mt-0.5 px-1 pl-5 text-xs text-faint low:mt-0 low:leading-4">{visible(note)}</p>
      )}
    </div>
    {actions !== undefined && <div className="mt-2 flex gap-1.5 low:mt-0 low:grow">{actions}</div>}
  </div>
)

const looksOf = (
  state: RuntimeState,
  name: 'Runtime' | 'Local runtime',
): { readonly text: string; readonly note?: string; readonly dot: string } => {
  switch (state.kind) {
    case 'stopped':
      return { text: `${name} stopped`, dot: 'bg-cancelled-fill' }
    case 'starting': {
      const upgrade = upgradeProgress(state)
      const dot = 'bg-running-fill'
      return upgrade === undefined
        ? { text: `${name} starting`, dot }
        : { text: `${name === 'Runtime' ? 'Upgrading' : 'Upgrading local'} data`, note: upgrade.text, dot }
    }
    case 'ready':
      return state.owned
        ? { text: `${name} ready`, note: `Port ${state.port}`, dot: 'bg-completed-fill' }
        : {
            text: `${name} attached`,
            note: `Port ${state.port}, started elsewhere (pid ${state.pid})`,
            dot: 'bg-completed-fill',
          }
    case 'stopping':
      return { text: `${name} stopping`, dot: 'bg-waiting-fill' }
    case 'crashed':
      return { text: `${name} failed`, dot: 'bg-failed-fill' }
    case 'foreign':
      return {
        text: `${name === 'Runtime' ? 'Port' : 'Local port'} ${state.isReserved ? 'refused' : 'taken'}`,
        note: `${state.isReserved ? 'The system reserves' : `Another ${state.runtime === null ? 'program' : 'runtime'} uses`} port ${state.port}`,
        dot: 'bg-failed-fill',
      }
  }
}

const BUTTONS: Readonly<
  Record<RuntimeVerb, { readonly label: string; readonly Icon: typeof Play; readonly size: number }>
> = {
  start: { label: 'Start runtime', Icon: Play, size: 13 },
  stop: { label: 'Stop runtime', Icon: Square, size: 12 },
  restart: { label: 'Restart runtime', Icon: RotateCw, size: 13 },
}

const Actions = ({ state, runtime }: { readonly state: RuntimeState; readonly runtime: DesktopApi['runtime'] }) => {
  const verbs = runtimeVerbs(state)
  if ((state.kind === 'starting' || state.kind === 'stopping') && verbs.length === 0) {
    return <UnderWay key={state.kind} state={state} />
  }
  return verbs.map((verb, index) => {
    const { label, Icon, size } = BUTTONS[verb]
    const shared = { ref: focusScreenAfter, onClick: () => askDesktop('The action failed', runtime[verb]) }
    return index === 0 ? (
      <Button
        key={verb}
        {...shared}
        kind={verb === 'stop' ? 'plain' : 'primary'}
        title={label}
        className="flex-1 justify-center low:px-1.5"
        icon={<Icon size={size} />}
      >
        <span className="low:sr-only">{label}</span>
      </Button>
    ) : (
      <IconButton key={verb} {...shared} label={label} kind="plain">
        <Icon size={14} />
      </IconButton>
    )
  })
}

const LONG_MS = 10_000

const UNDER_WAY = {
  starting: {
    doing: 'Starting…',
    waitsFor: 'The runtime has not opened its data yet. The log may say why.',
  },
  stopping: {
    doing: 'Stopping…',
    waitsFor: 'The runtime still waits for running effects. Executions are safe on disk.',
  },
} as const

/** After ten seconds, says what the runtime waits for and offers the log. */
const UnderWay = ({ state }: { readonly state: Extract<RuntimeState, { kind: 'starting' | 'stopping' }> }) => {
  const isLong = useClock() - Date.parse(state.since) > LONG_MS
  const { doing, waitsFor } = UNDER_WAY[state.kind]
  if (!isLong) return <p className="px-1 text-xs text-faint low:hidden">{doing}</p>
  return (
    <div role="status" className="flex flex-col items-start gap-2 px-1 text-xs text-soft">
      {waitsFor}
      <Button onClick={() => askDesktop('The logs were not shown', () => desktop?.logs.reveal())}>Show the log</Button>
    </div>
  )
}
