import type { Execution } from '#sdk/index.ts'

/** What a cancel will do to an Execution, by what it does now. */
export const whatCancelDoes = ({ status, waitingFor }: Pick<Execution, 'status' | 'waitingFor'>): string => {
  if (status === 'queued') return 'It has not begun, so none of its code will run. It ends as cancelled.'
  const effects = waitingFor.filter((awaited) => awaited.kind === 'effect').length
  const aborted = effects === 0 ? '' : ' Effects that run now are told to stop, and what they still answer is ignored.'
  return (
    `Everything that it waits for ends with a CancelledError.${aborted} ` +
    'Its Program then has up to 30 seconds to undo what it did. It ends as cancelled, whatever it returns.'
  )
}
