import { Unplug } from 'lucide-react'
import { failureOf } from '../api/failures.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Fault } from '../ui/fault.tsx'
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
  if (failure.kind === 'offline') return <RuntimeStopped />
  if (failure.kind === 'unsupported') {
    return (
      <EmptyState icon={<Unplug size={28} aria-hidden="true" />} title={`This server does not offer ${what}`}>
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
