// Runs a real `wes dev` with its own data directory, which can be killed and started again.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = join(import.meta.dirname, '../src-cli/wes.mjs')
const OBSERVER = join(import.meta.dirname, '../bench/observe-event-loop.ts')
const READY_LIMIT_MS = 60_000

export type RuntimeProcess = {
  readonly dataDir: string
  url(): string
  pid(): number
  /** Kills it like a crash or a power failure, without a flush. */
  kill(): Promise<void>
  /** Stops it like Ctrl-C. Resolves to the exit code. */
  interrupt(): Promise<number | null>
  start(): Promise<void>
  /** Kills it and removes its data. */
  dispose(): Promise<void>
  stderr(): string
  /** Figures of its event loop and heap since the last call. Only if started with `observed`. */
  observe(): Promise<Observed>
}

/** Delays in ms. */
export type Observed = { readonly p50: number; readonly p99: number; readonly max: number; readonly heapBytes: number }

/**
 * `project`: the project folder; by default an empty one. `token`: the token that it requires.
 */
export const startRuntimeProcess = async ({
  port = 0,
  project,
  token,
  observed = false,
}: {
  readonly port?: number
  readonly project?: string
  readonly token?: string
  readonly observed?: boolean
} = {}): Promise<RuntimeProcess> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wes-e2e-'))
  let child: ChildProcess
  let url = ''
  let stderr = ''

  const start = async (): Promise<void> => {
    child = spawn(
      process.execPath,
      [
        ...(observed ? ['--import', OBSERVER] : []),
        ...[MAIN, 'dev', '--port', String(port), '--data-dir', dataDir, '--project', project ?? dataDir],
        ...(token === undefined ? [] : ['--token']),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe', ...(observed ? (['ipc'] as const) : [])],
        env: { ...process.env, CI: 'true', ...(token !== undefined && { WES_DEV_TOKEN: token }) },
      },
    )
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const lines = createInterface({ input: child.stdout! })
    const ready = (async () => {
      for await (const line of lines) {
        const found = /^ready (http:\/\/\S+)$/.exec(line)
        if (found !== null) return found[1]!
      }
      throw new Error(`the runtime ended before it was ready:\n${stderr}`)
    })()
    const late = new Promise<never>((_, reject) =>
      setTimeout(
        () => reject(new Error(`the runtime is not ready after ${READY_LIMIT_MS} ms:\n${stderr}`)),
        READY_LIMIT_MS,
      ).unref(),
    )
    url = await Promise.race([ready, late])
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
    return child.exitCode
  }

  await start()
  return {
    dataDir,
    url: () => url,
    pid: () => child.pid!,
    stderr: () => stderr,
    observe: async () => {
      const answer = once(child, 'message')
      child.send('report')
      const [seen] = (await answer) as [Observed]
      child.send('reset')
      return seen
    },
    start,
    kill: async () => void (await end('SIGKILL')),
    interrupt: () => end('SIGINT'),
    dispose: async () => {
      await end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
