// An installed app's archive is a folder for the stand-in, so other programs could read it. Refuses to start one that is told
// to, and to tell a running one on its input, as esbuild is told.

import { ChildProcess, type SpawnOptions } from 'node:child_process'
import type { Writable } from 'node:stream'

const IN_ARCHIVE = /app\.asar(?:[\\/]|$)/
/** What of a long text an error shows on each side. */
const SHOWN = 200

/** What every way to start a process comes to. */
const prototype = ChildProcess.prototype as unknown as {
  spawn(options: SpawnOptions & { readonly file: string; readonly args?: readonly string[] }): unknown
}

export const refuseArchivedFiles = (): void => {
  const { spawn } = prototype
  prototype.spawn = function (this: ChildProcess, options) {
    for (const text of [options.file, ...(options.args ?? []), String(options.cwd ?? '')]) refuse(text)
    const result = spawn.call(this, options)
    if (this.stdin !== null) watch(this.stdin)
    return result
  }
}

const watch = (input: Writable): void => {
  const write = input.write.bind(input) as (chunk: unknown, ...rest: unknown[]) => boolean
  input.write = (chunk: unknown, ...rest: unknown[]) => {
    refuse(chunk instanceof Uint8Array ? Buffer.from(chunk).toString('latin1') : String(chunk))
    return write(chunk, ...rest)
  }
}

const refuse = (told: string): void => {
  const at = told.search(IN_ARCHIVE)
  if (at < 0) return
  const shown = told.slice(Math.max(0, at - SHOWN), at + SHOWN)
  throw new Error(`stand-in: another program cannot use a file of the archive: ${shown}`)
}
