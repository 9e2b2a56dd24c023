import { Unplug } from 'lucide-react'
import { connectionProblem } from '../api/connection-problems.ts'
import { useConnection } from '../api/connection.ts'
import { failureOf } from '../api/failures.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Fault } from '../ui/fault.tsx'
import { ConnectionFault } from './connection-fault.tsx'
import { RuntimeStopped } from './runtime-stopped.tsx'

/** Says why data could not be loaded. `what` completes "… could not be loaded". */
export const QueryFault = ({
  what,
  error,
  onRetry,
}: {
  readonly what: string
  readonly error: unknown
  readonly onRetry?: () => void
}) => {
  const failure = failureOf(error)
  const { address, name } = useConnection()
  const problem = address === undefined ? undefined : connectionProblem(failure, name)
  if (problem !== undefined) return <ConnectionFault problem={problem} onRetry={onRetry} />
  if (failure.kind === 'offline') return <RuntimeStopped failure={failure} />
  if (failure.kind === 'unsupported') {
    return (
      <EmptyState icon={<Unplug size={28} />} title={`This server does not offer ${what}`}>
        Its version lacks the route. Everything else works.
      </EmptyState>
    )
  }
  return (
    <Fault
      title={`${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded`}
      message={failure.message}
      code={failure.code}
      onRetry={onRetry}
    />
  )
}
