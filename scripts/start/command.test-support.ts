// Runs `npm start` and `npm run dev` as real processes with their own data directories, until the running test has ended.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'

export type Running = {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly exitCode: Promise<number | null>
  /** The first group of the first match in its output. */
  readonly said: (pattern: RegExp) => Promise<string>
}

type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly terminal?: boolean
}

export const folder = (): string => temporaryFolder('start')

export const run = (
  script: string,
  args: readonly string[],
  { env = {}, terminal = false }: RunOptions = {},
): Running => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const node = [process.execPath, join(import.meta.dirname, script), ...args]
  // `script` gives the command a terminal, and forwards its own input there.
  const [command = '', ...rest] = terminal ? ['script', '-qefc', `exec ${node.join(' ')}`, '/dev/null'] : node
  const child = spawn(command, rest, {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    cwd: join(import.meta.dirname, '../..'),
    stdio: [terminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text))
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exitCode
  })
  const said = async (pattern: RegExp): Promise<string> => {
    const found = () => pattern.exec(out)?.[1]
    const over = () => child.exitCode !== null || child.signalCode !== null
    await vi.waitUntil(() => found() !== undefined || over(), { interval: 20 })
    const text = found()
    if (text === undefined) throw new Error(`it ended without saying ${pattern}:\n${out}${err}`)
    return text
  }
  return { child, out: () => out, err: () => err, exitCode, said }
}

/** Listens on a free port, accepts connections, and never answers. Returns the port. */
export const silentServer = async (): Promise<number> => {
  const server = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A folder with a shell script of this name. */
export const folderWith = (program: string, script: string): string => {
  const made = folder()
  const file = join(made, program)
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return made
}

/**
 * `getuid` returns another user than root at its first call, which the start script makes. Later calls return the real
 * user, because the runtime refuses a data directory of another user.
 */
const NOT_ROOT = `if (process.argv.some((one) => /scripts.start./.test(one))) {
  const { getuid } = process
  process.getuid = () => { process.getuid = getuid; return 1000 }
}`

/** A display that does not exist, and a user that is not root. */
export const desktopEnv = {
  DISPLAY: ':0',
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOT_ROOT)}`,
}
