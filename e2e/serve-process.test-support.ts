// `wes serve` as it really runs: its own process, PostgreSQL and Restate.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CreatedToken } from '#contract/access-models.ts'
import { copyDatabaseTo } from '#hosted/boot/copy-database.test-support.ts'
import { postgresFolderIn } from '#hosted/boot/own-services.ts'
import { onOperatedStore } from '#hosted/operator/open-operated-store.ts'
import { operateTokens } from '#hosted/operator/operate-tokens.ts'

export type ServeProcess = {
  readonly url: string
  readonly hooksUrl: string
  /** Of an admin. */
  readonly token: string
  readonly dataDir: string
  pid(): number
  /** A new token of an admin of that workspace, which is made where there is none. */
  tokenOf(workspace: string): Promise<string>
  /** Ends the process at once, and with it all that it started. */
  kill(): Promise<void>
  /** Stops it as a user would. Answers the exit code. */
  stop(): Promise<number | null>
  /** On the same data and ports. */
  start(): Promise<void>
  /** Stops it as a user would, and removes its data. Answers the exit code. */
  dispose(): Promise<number | null>
}

const WES = join(import.meta.dirname, '../src-cli/wes.mjs')

type Said = { readonly ready: string; readonly hooks: string; readonly token?: string }

export const startServeProcess = async (flags: readonly string[] = []): Promise<ServeProcess> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wes-serve-'))
  await copyDatabaseTo(postgresFolderIn(dataDir))
  let child = spawnServe(dataDir, ['0', '0'], flags)
  const { ready, hooks, token = '' } = await said(child, 'token')
  const ports = [new URL(ready).port, new URL(hooks).port] as const
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise<void>((resolve) => child.once('exit', () => resolve()))
    }
    return child.exitCode
  }
  return {
    url: ready,
    hooksUrl: hooks,
    token,
    dataDir,
    pid: () => child.pid!,
    tokenOf: async (workspace) => {
      const made = await onOperatedStore({ folder: dataDir }, (store) =>
        operateTokens(store, workspace).create({ name: 'test', role: 'admin' }),
      )
      return (JSON.parse(made) as CreatedToken).secret
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    start: async () => {
      child = spawnServe(dataDir, ports, flags)
      await said(child, 'hooks')
    },
    dispose: async () => {
      const code = await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

const spawnServe = (
  dataDir: string,
  [port, hooksPort]: readonly [string, string],
  flags: readonly string[],
): ChildProcess => {
  const args = ['serve', '--port', port, '--hooks-port', hooksPort, '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, [WES, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.pipe(process.stderr, { end: false })
  return child
}

/** What it prints, up to the line of that word: `token` is the last at its first start, `hooks` at others. */
const said = async (child: ChildProcess, last: 'token' | 'hooks'): Promise<Said> => {
  const words = new Map<string, string>()
  let errors = ''
  const note = (chunk: Buffer): void => void (errors += chunk)
  child.stderr!.on('data', note)
  for await (const line of createInterface(child.stdout!)) {
    const [word = '', value = ''] = line.split(' ')
    words.set(word, value)
    if (word === last) break
  }
  child.stderr!.off('data', note)
  const [ready, hooks] = [words.get('ready'), words.get('hooks')]
  if (ready === undefined || hooks === undefined) throw new Error(`wes serve ended before it was ready: ${errors}`)
  const token = words.get('token')
  return { ready, hooks, ...(token !== undefined && { token }) }
}
