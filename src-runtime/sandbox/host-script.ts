// The host as one script, and the code that V8 has made of it. Only a build writes that code. Hosts read it: what one of them
// could write, Program code that took it over could change for the others.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/** host-main.ts as CommonJS. */
export const SCRIPT_FILE = 'host-script.cjs'
export const CODE_FILE = 'host-script.code'

/**
 * How much of a WebAssembly function V8 runs before it optimises it, in bytes; by default 13 MB. The engine's interpreter reached that
 * while a host warmed up, and took 50 ms of another thread then, which the rest of a start needs.
 */
const TIERING_BUDGET_BYTES = 100_000_000

const readCode = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** Runs the script. V8 rejects code of another version of itself, and compiles the script then. */
export const runHostScript = (folder: string): Script => {
  // Before V8 reads the code, which it takes only with the same flags. A later V8 that does not know this one ignores it.
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`)
  const filename = join(folder, SCRIPT_FILE)
  // A build writes ASCII only, and Node reads Latin-1 faster.
  const source = `(function (require, __dirname) {${readFileSync(filename, 'latin1')}\n})`
  const script = new Script(source, { filename, cachedData: readCode(join(folder, CODE_FILE)) })
  const run = script.runInThisContext() as (require: NodeJS.Require, directory: string) => void
  run(createRequire(filename), folder)
  return script
}
