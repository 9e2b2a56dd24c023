import { Play, PowerOff } from 'lucide-react'
import { desktop, type RuntimeState } from '../desktop.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { askDesktop } from './ask-desktop.ts'
import { useDesktopRuntime } from './desktop-runtime.ts'
import { withoutRuntime } from './without-runtime.ts'

const COMMAND = 'npm start'

/** One of the four empty states: nothing answers, and how to change that. */
export const RuntimeStopped = () => {
  const state = useDesktopRuntime()
  return state === null ? <NoAnswer /> : <InDesktop state={state} />
}

const ICON = <PowerOff size={28} aria-hidden="true" />

const InDesktop = ({ state }: { readonly state: RuntimeState }) => {
  const { title, text, offersStart } = withoutRuntime(state)
  return (
    <EmptyState
      icon={ICON}
      title={title}
      actions={
        offersStart && (
          <Button
            kind="primary"
            icon={<Play size={14} aria-hidden="true" />}
            onClick={() => askDesktop('The runtime was not started', () => desktop?.runtime.start())}
          >
            {/* "Start runtime" is the switch in the rail, and nothing else. */}
            Start the runtime
          </Button>
        )
      }
    >
      {text}
    </EmptyState>
  )
}

/** In a browser: who serves the page is gone. */
const NoAnswer = () => (
  <EmptyState icon={ICON} title="The runtime is stopped">
    Nothing answers at this address. Start it in a terminal with{' '}
    <span className="inline-flex items-center gap-1 rounded bg-sunken px-1.5 font-mono text-xs text-ink">
      {COMMAND}
      <CopyButton label="Copy the command" text={COMMAND} />
    </span>
    ; this page goes on by itself as soon as it answers.
  </EmptyState>
)
