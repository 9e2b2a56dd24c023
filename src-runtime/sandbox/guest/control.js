// The guest's state for the host: one byte in a buffer whose address the host knows. The host reads it at every
// interrupt poll and after every job.

import { Bytes } from './primordials.js'

export const RUNNING = 0
/** `run` has returned or thrown: commands after that in this turn are dropped. */
export const ENDED = 1
export const TOO_MANY_COMMANDS = 2
export const TOO_MUCH_OUTPUT = 3

const control = new Bytes(8)
export const controlBuffer = control.buffer

/** The next byte says whether the Program has a function `label`. */
export const noteLabel = () => {
  control[1] = 1
}

/** The host sets this byte for a journalled turn with a name or a retry policy that only older runtimes accepted. */
export const acceptsOldTerms = () => control[2] === 1

export const signal = (state) => {
  if (control[0] === RUNNING) control[0] = state
}

export const hasEnded = () => control[0] !== RUNNING

/** Ends the Execution at once: the host interrupts this loop at its next poll, which no `catch` or `finally` can stop. */
export const abort = (state) => {
  signal(state)
  for (;;);
}
