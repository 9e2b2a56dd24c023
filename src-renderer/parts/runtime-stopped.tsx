import { Play, PowerOff } from 'lucide-react'
import { desktop } from '../desktop.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const COMMAND = 'npm start'

/** One of the four empty states: nothing answers, and how to change that. */
export const RuntimeStopped = () => (
  <EmptyState
    icon={<PowerOff size={28} aria-hidden="true" />}
    title="The runtime is stopped"
    actions={
      desktop === undefined ? undefined : (
        <Button
          kind="primary"
          icon={<Play size={14} aria-hidden="true" />}
          onClick={() => void desktop?.runtime.start()}
        >
          Start the runtime
        </Button>
      )
    }
  >
    {desktop === undefined ? (
      <p>
        Nothing answers at this address. Start it in a terminal with{' '}
        <span className="inline-flex items-center gap-1 rounded bg-sunken px-1.5 font-mono text-xs text-ink">
          {COMMAND}
          <CopyButton label="Copy the command" text={COMMAND} />
        </span>
        ; this page goes on by itself as soon as it answers.
      </p>
    ) : (
      <p>Executions wait safely on disk. They go on as soon as it runs.</p>
    )}
  </EmptyState>
)
