import { Ban, CircleCheck, CircleDashed, CircleX, Clock3, LoaderCircle, RotateCcw } from 'lucide-react'
import type { ExecutionStatus, ExecutionSummary } from '#sdk/index.ts'
import { Badge, type Tone, TONE_TEXT } from '../ui/badge.tsx'

const LOOKS: Readonly<Record<ExecutionStatus, { readonly tone: Tone; readonly Icon: typeof Ban }>> = {
  queued: { tone: 'queued', Icon: CircleDashed },
  running: { tone: 'running', Icon: LoaderCircle },
  waiting: { tone: 'waiting', Icon: Clock3 },
  cancelling: { tone: 'cancelled', Icon: Ban },
  completed: { tone: 'completed', Icon: CircleCheck },
  failed: { tone: 'failed', Icon: CircleX },
  cancelled: { tone: 'cancelled', Icon: Ban },
}

/** Whether an effect failed and will be retried. */
export const backsOff = (execution: Pick<ExecutionSummary, 'waitingFor'>): boolean =>
  execution.waitingFor.some((awaited) => awaited.kind === 'effect' && awaited.nextAttemptAt !== undefined)

/** The icon in the status's colour, for use beside the status in words. */
export const StatusIcon = ({ status }: { readonly status: ExecutionStatus }) => {
  const { tone, Icon } = LOOKS[status]
  return <Icon size={12} className={TONE_TEXT[tone]} />
}

/** The status in words with its icon; dashed while an effect backs off. */
export const StatusBadge = ({
  status,
  backingOff = false,
}: {
  readonly status: ExecutionStatus
  readonly backingOff?: boolean
}) => {
  const { tone, Icon } = LOOKS[status]
  const Shown = backingOff && status === 'waiting' ? RotateCcw : Icon
  return (
    <Badge
      tone={tone}
      dashed={backingOff || status === 'cancelling'}
      icon={<Shown size={12} className={status === 'running' ? 'animate-spin [animation-duration:2.5s]' : undefined} />}
    >
      {status}
    </Badge>
  )
}
