// Runs the real command line as a child process.

import { type ChildProcess, spawn } from 'node:child_process'
import { text as readText } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const MAIN = join(import.meta.dirname, 'wes.mjs')

export type WesOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly cwd?: string
}

export type WesRun = { readonly code: number | null; readonly out: string; readonly err: string }

/** Removes variables of the tester's environment that would select another service or colours. */
export const environment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  WES_DATA_DIR: join(tmpdir(), 'wes-cli-tests'),
  ...more,
})

export const startWes = (args: readonly string[], options: WesOptions = {}): ChildProcess =>
  spawn(process.execPath, [MAIN, ...args], { env: environment(options.env), cwd: options.cwd, stdio: 'pipe' })

export const wes = async (args: readonly string[], options: WesOptions = {}): Promise<WesRun> => {
  const child = startWes(args, options)
  child.stdin?.end(options.stdin ?? '')
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended])
  return { code, out, err }
}

const textOf = (stream: ChildProcess['stdout']): Promise<string> =>
  stream === null ? Promise.resolve('') : readText(stream)
