import type { Execution } from '#sdk/index.ts'

/** What a cancel will do to an Execution, by what it does now. */
export const whatCancelDoes = ({ status, waitingFor }: Pick<Execution, 'status' | 'waitingFor'>): string => {
  if (status === 'queued') return 'It has not started, so none of its code will run.'
  const effects = waitingFor.filter((awaited) => awaited.kind === 'effect').length
  const aborted = effects === 0 ? '' : ' Effects that run now are told to stop, and what they still answer is ignored.'
  return (
    `Everything that it waits for ends with a CancelledError.${aborted} ` +
    'The Program has up to 30 seconds to clean up. The Execution then ends as cancelled, whatever the Program returns.'
  )
}
