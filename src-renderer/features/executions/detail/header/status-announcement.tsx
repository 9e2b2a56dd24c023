import { useState } from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'

/** Announces a new status to screen readers, politely. */
export const StatusAnnouncement = ({ status }: { readonly status: ExecutionStatus }) => {
  const [seen, setSeen] = useState({ status, isFirst: true })
  if (seen.status !== status) setSeen({ status, isFirst: false })
  return (
    <div role="status" aria-label="Status of the Execution" className="sr-only">
      {!seen.isFirst && `The Execution is ${status} now`}
    </div>
  )
}
