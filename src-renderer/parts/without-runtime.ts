// What a screen says in place of data while no runtime answers. Pure.

import type { RuntimeState } from '../desktop.ts'

export type WithoutRuntime = { readonly title: string; readonly text: string; readonly offersStart: boolean }

const SAFE = 'Executions wait safely on disk. They go on as soon as it runs.'

/** In the desktop app, which knows more than that nothing answers. */
export const withoutRuntime = (state: RuntimeState): WithoutRuntime => {
  switch (state.kind) {
    case 'stopped':
      return { title: 'The runtime is stopped', text: SAFE, offersStart: true }
    case 'starting':
      return { title: 'The runtime is starting', text: 'This screen fills as soon as it answers.', offersStart: false }
    case 'ready':
      return {
        title: 'The runtime does not answer',
        text: 'It is tried again until it does, or until it is known to have stopped.',
        offersStart: false,
      }
    case 'stopping':
      return { title: 'The runtime is stopping', text: 'Executions are parked on disk.', offersStart: false }
    case 'crashed':
      return { title: 'The runtime crashed', text: `Why is said above. ${SAFE}`, offersStart: false }
    case 'foreign':
      return {
        title: 'The runtime cannot start',
        text: `Something else holds port ${state.port}. What, and what to do about it, is said above.`,
        offersStart: false,
      }
  }
}
