import type { Execution } from '#sdk/index.ts'

/** Describes what a cancel will do to an Execution, given its status and what it waits for. */
export const describeCancel = ({ status, waitingFor }: Pick<Execution, 'status' | 'waitingFor'>): string => {
  if (status === 'queued') return 'The Execution has not started, so none of its code will run.'
  const effects = waitingFor.filter((awaited) => awaited.kind === 'effect').length
  const aborted = effects === 0 ? '' : ' Running effects are asked to stop, and their results are ignored.'
  return (
    `Everything that the Execution waits for ends with a CancelledError.${aborted} ` +
    'The Program has up to 30 seconds to clean up. The Execution then ends as cancelled, whatever the Program returns.'
  )
}
