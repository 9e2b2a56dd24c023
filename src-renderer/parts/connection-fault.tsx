// In place of data: what is wrong with the connection to a hosted service, and the ways out.

import { HardDrive, KeyRound, RotateCw, Settings2, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ConnectionProblem, WayOut } from '../api/connection-problems.ts'
import { useConnection } from '../api/connection.ts'
import { openDialog } from '../stores/dialogs.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useShowLocal } from './use-show-connection.ts'
import { visible } from '../ui/visible.tsx'

export const ConnectionFault = ({
  problem,
  onRetry,
}: {
  readonly problem: ConnectionProblem
  readonly onRetry: (() => void) | undefined
}) => (
  <EmptyState
    icon={<Unplug size={28} />}
    title={problem.title}
    actions={<WaysOut ways={problem.ways} onRetry={onRetry} />}
  >
    <p role="alert" data-instead-of-data className="break-words">
      {visible(problem.text)}
    </p>
  </EmptyState>
)

const WaysOut = ({
  ways,
  onRetry,
}: {
  readonly ways: readonly WayOut[]
  readonly onRetry: (() => void) | undefined
}) => {
  const { id } = useConnection()
  const showLocal = useShowLocal()
  const button: Readonly<Record<WayOut, ReactNode>> = {
    retry: onRetry !== undefined && (
      <Button key="retry" kind="primary" icon={<RotateCw size={14} />} onClick={onRetry}>
        Try again
      </Button>
    ),
    'replace-token': (
      <Button
        key="replace-token"
        kind="primary"
        icon={<KeyRound size={14} />}
        onClick={() => openDialog({ kind: 'replace-token', id })}
      >
        Replace token
      </Button>
    ),
    edit: (
      <Button key="edit" icon={<Settings2 size={14} />} onClick={() => openDialog({ kind: 'edit-connection', id })}>
        Edit connection
      </Button>
    ),
    local: (
      // The name "Switch to local" belongs to the button in the rail.
      <Button key="local" icon={<HardDrive size={14} />} onClick={showLocal}>
        Go to local
      </Button>
    ),
  }
  return ways.map((way) => button[way])
}
