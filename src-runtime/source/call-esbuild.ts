// Calls esbuild, which starts a process with the first call, and does not listen for that process's errors: without this
// listener, Node ends the whole runtime when the system starts none.

import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { build as bundle } from 'esbuild'

const onChildProcess = (message: unknown): void => {
  const { process: child } = message as { readonly process: ChildProcess }
  child.on('error', () => undefined)
}

/** Rejects if esbuild's process cannot start; the next call tries again. */
export const build: typeof bundle = async (options) => {
  subscribe('child_process', onChildProcess)
  let building: ReturnType<typeof bundle<typeof options>>
  try {
    building = bundle(options)
  } catch (error) {
    throw new Error('the process that bundles could not start', { cause: error })
  } finally {
    unsubscribe('child_process', onChildProcess)
  }
  return building
}
