// The notices above the screen: the desktop's runtime has failed, another program uses its port, or the disk is full.

import { HardDrive, OctagonAlert, Plug } from 'lucide-react'
import { type ReactNode } from 'react'
import type { RuntimeState } from '../desktop.ts'
import { changePort } from '../parts/change-port.ts'
import { ClockCountdown } from '../parts/time.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { visible } from '../ui/visible.tsx'

export type CrashedState = Extract<RuntimeState, { kind: 'crashed' }>
export type ForeignState = Extract<RuntimeState, { kind: 'foreign' }>

export type Trouble =
  | { readonly kind: 'crashed'; readonly state: CrashedState; readonly isStarting: boolean }
  | { readonly kind: 'foreign'; readonly state: ForeignState }
  | { readonly kind: 'disk-full'; readonly dataDir: string }

export const TroubleNotice = ({ trouble }: { readonly trouble: Trouble }) => {
  switch (trouble.kind) {
    case 'crashed':
      return <Crashed state={trouble.state} isStarting={trouble.isStarting} />
    case 'foreign':
      return <Foreign state={trouble.state} />
    case 'disk-full':
      return <DiskFull dataDir={trouble.dataDir} />
  }
}

const Notice = ({
  title,
  icon,
  children,
}: {
  readonly title: string
  readonly icon: ReactNode
  readonly children: ReactNode
}) => (
  <section role="alert" aria-label={title} className="border-b border-failed/40 bg-failed-wash px-5 py-3">
    <h2 className="flex items-center gap-2 font-semibold text-failed">
      {icon}
      {title}
    </h2>
    <div className="mt-1 flex flex-col gap-2 wrap-anywhere">{children}</div>
  </section>
)

const Crashed = ({ state, isStarting }: { readonly state: CrashedState; readonly isStarting: boolean }) => (
  <Notice title="The runtime failed" icon={<OctagonAlert size={15} />}>
    <p>{state.message}</p>
    <p>
      {isStarting ? (
        'It starts again now.'
      ) : state.restartsAt === null ? (
        'The app does not try again by itself. Restart the runtime when the cause is gone.'
      ) : (
        <>
          It restarts <ClockCountdown to={state.restartsAt} />. Executions are safe on disk.
        </>
      )}
    </p>
    {state.logLines.length > 0 && (
      <pre
        ref={scrollToEnd}
        tabIndex={0}
        aria-label="Last lines of the log"
        className="max-h-[min(12rem,20dvh)] overflow-auto rounded-md border border-line bg-page px-3 py-2 font-mono text-xs"
      >
        {state.logLines.join('\n')}
      </pre>
    )}
  </Notice>
)

/** The last line says most about why it failed. */
const scrollToEnd = (lines: HTMLElement | null): void => lines?.scrollTo({ top: lines.scrollHeight })

const DiskFull = ({ dataDir }: { readonly dataDir: string }) => (
  <Notice title="The disk is full" icon={<HardDrive size={15} />}>
    <p>
      Nothing can be stored, so Executions stand still. Make room on the disk that holds {path(dataDir)}, and they
      continue by themselves.
    </p>
  </Notice>
)

/** As the beginning of a sentence that says what to do. */
const whyNot = ({ holder, isReserved, port, runtime }: ForeignState): string => {
  if (runtime !== null) return 'Once that one is stopped, the runtime here starts by itself. Or'
  if (!isReserved) {
    const user = holder === null ? 'Another program' : `${holder.name} (pid ${holder.pid})`
    return `${user} uses it. Once that program is stopped, the runtime starts by itself. Or`
  }
  return port < 1024
    ? 'The system does not let you use it: it is for administrators. You can'
    : 'The system does not let you use it: it is reserved, for virtual machines, say. Once it is free, the runtime starts by itself. Or'
}

/** Its page is opened in a browser: this window shows the data of the app only. */
const AboutRuntime = ({
  runtime: { version, pid, dataDirectory, projectFolder },
  port,
}: {
  readonly runtime: NonNullable<ForeignState['runtime']>
  readonly port: number
}) => {
  const facts = [version !== null && `version ${version}`, pid !== null && `pid ${pid}`].filter(Boolean)
  return (
    <p>
      Another WES runtime uses it{projectFolder !== null && <> for the project {path(projectFolder)}</>}
      {dataDirectory !== null && <>, with its data in {path(dataDirectory)}</>}
      {facts.length > 0 && ` (${facts.join(', ')})`}.{' '}
      <a href={`http://localhost:${port}`} target="_blank" rel="noreferrer" className="text-accent underline">
        Open its dashboard
      </a>
    </p>
  )
}

const path = (text: string): ReactNode => <code className="font-mono text-xs">{visible(text)}</code>

const Foreign = ({ state }: { readonly state: ForeignState }) => (
  <Notice
    title={state.isReserved ? `Port ${state.port} cannot be used` : `Port ${state.port} is taken`}
    icon={<Plug size={15} />}
  >
    {state.runtime !== null && <AboutRuntime runtime={state.runtime} port={state.port} />}
    <p>{whyNot(state)} use another port and set this in your programs’ environment:</p>
    <p className="flex flex-wrap items-center gap-2">
      <code className="rounded bg-page px-2 py-0.5 font-mono text-xs">{state.environmentLine}</code>
      <CopyButton label="Copy the line" text={state.environmentLine} />
      <Button onClick={() => changePort(state.suggestedPort)}>Use port {state.suggestedPort}</Button>
    </p>
  </Notice>
)
