import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { visible } from './visible.tsx'

export type Tone = 'neutral' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'queued'

const TONES: Readonly<Record<Tone, string>> = {
  neutral: 'bg-sunken text-soft',
  running: 'bg-running-wash text-running',
  waiting: 'bg-waiting-wash text-waiting',
  completed: 'bg-completed-wash text-completed',
  failed: 'bg-failed-wash text-failed',
  cancelled: 'bg-cancelled-wash text-cancelled',
  queued: 'bg-queued-wash text-queued',
}

/** Only the classes of the colour. */
export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  neutral: 'text-soft',
  running: 'text-running',
  waiting: 'text-waiting',
  completed: 'text-completed',
  failed: 'text-failed',
  cancelled: 'text-cancelled',
  queued: 'text-queued',
}

export const Badge = ({
  tone = 'neutral',
  icon,
  dashed = false,
  children,
}: {
  readonly tone?: Tone
  readonly icon?: ReactNode
  /** Dashed: an effect backs off, or a request is under way. */
  readonly dashed?: boolean
  readonly children: ReactNode
}) => (
  <span
    className={classNames(
      'inline-flex h-5 items-center gap-1 rounded border px-1.5 text-xs font-medium whitespace-nowrap',
      TONES[tone],
      dashed ? 'border-dashed border-current' : 'border-transparent',
    )}
  >
    {icon}
    <span>{visible(children)}</span>
  </span>
)
