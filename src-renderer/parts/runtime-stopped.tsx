import { Play, PowerOff } from 'lucide-react'
import { useConnection } from '../api/connection.ts'
import { type Failure } from '../api/failures.ts'
import { desktop } from '../desktop.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { askDesktop } from './ask-desktop.ts'
import { Command } from './command.tsx'
import { useDesktopRuntime } from './desktop-state.ts'
import { focusScreenAfter } from '../ui/focus-screen.ts'
import { useStartedBy } from './use-started-by.ts'
import { ProgressBar } from './progress-bar.tsx'
import { upgradeProgress, whoIsMissing } from './without-runtime.ts'

/** Empty state: nothing answers, the runtime or the hosted service. Offers to start it. */
export const RuntimeStopped = ({ failure }: { readonly failure: Failure | undefined }) => {
  const state = useDesktopRuntime()
  const connection = useConnection()
  const { title, text, offers } = whoIsMissing(connection, failure, state)
  const upgrade = connection.kind === 'local' ? upgradeProgress(state) : undefined
  const isRuntime =
    connection.kind === 'local' || (connection.address !== undefined && failure?.code === 'network_error')
  return (
    <EmptyState
      icon={<PowerOff size={28} />}
      title={title}
      actions={offers === 'start' && <StartRuntime kind="primary" />}
    >
      <p data-instead-of-data>{text}</p>
      {upgrade !== undefined && (
        <div className="mt-3 flex flex-col items-center gap-2">
          {upgrade.text}
          <ProgressBar label="Upgrade" value={upgrade.value} max={upgrade.max} />
        </div>
      )}
      {isRuntime && state === null && <StartCommand />}
    </EmptyState>
  )
}

/** Whether the desktop app knows that no runtime answers what this page asks. */
export const useIsRuntimeDown = (): boolean => {
  const state = useDesktopRuntime()
  const isShown = useConnection().kind === 'local'
  return isShown && (state?.kind === 'stopped' || state?.kind === 'crashed' || state?.kind === 'foreign')
}

export const StartRuntime = ({ kind }: { readonly kind?: 'primary' }) => (
  <Button
    ref={focusScreenAfter}
    {...(kind && { kind })}
    icon={<Play size={14} />}
    onClick={() => askDesktop('The runtime was not started', () => desktop?.runtime.start())}
  >
    {/* The name "Start runtime" belongs to the button in the rail. */}
    Start the runtime
  </Button>
)

/** The command that started the runtime, if known. */
const StartCommand = () => {
  const startedBy = useStartedBy(false)
  return (
    <p className="mt-3">
      Start it in a terminal: <Command text={startedBy?.start ?? 'wes dev'} />
    </p>
  )
}
