import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { visible } from './visible.tsx'

/** Says what failed and why, and offers to try again. */
export const Fault = ({
  title,
  message,
  code,
  onRetry,
  className = 'm-5',
  children,
}: {
  readonly title: string
  readonly message: string
  readonly code?: string | undefined
  readonly onRetry?: (() => void) | undefined
  /** Its margin. */
  readonly className?: string
  readonly children?: ReactNode
}) => (
  <div
    role="alert"
    className={classNames('flex gap-3 rounded-md border border-failed/40 bg-failed-wash px-4 py-3', className)}
  >
    <TriangleAlert size={16} className="mt-0.5 shrink-0 text-failed" />
    <div className="min-w-0 flex-1">
      <p className="font-semibold">{visible(title)}</p>
      <p className="break-words text-soft">{visible(message)}</p>
      {code !== undefined && <p className="mt-1 font-mono text-xs text-soft">{code}</p>}
      {children}
    </div>
    {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
  </div>
)
