import { useState } from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'

/** Tells a screen reader, when it has nothing more urgent to say, that the status is another one now. */
export const StatusAnnouncement = ({ status }: { readonly status: ExecutionStatus }) => {
  const [seen, setSeen] = useState({ status, isFirst: true })
  if (seen.status !== status) setSeen({ status, isFirst: false })
  return (
    <div role="status" aria-label="Status of the Execution" className="sr-only">
      {!seen.isFirst && `The Execution is ${status} now`}
    </div>
  )
}
