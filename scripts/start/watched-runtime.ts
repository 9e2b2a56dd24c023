// Runs `wes dev` as a child process, and restarts it when the runtime's sources change.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { createInterface } from 'node:readline'
import { TEST_FILE } from '../build/targets.ts'
import { askToStop, stopChannel } from './ask-to-stop.ts'

type Options = {
  /** The arguments for Node. `url`: its URL before a restart, to use the same port. */
  readonly args: (url: string | undefined) => readonly string[]
  /** Changes in these folders restart it. */
  readonly folders: readonly string[]
  readonly print: (line: string) => void
  readonly platform?: NodeJS.Platform
}

export type WatchedRuntime = {
  /** The URL after its first `ready`; undefined if it ended before, with an error message. */
  readonly ready: Promise<string | undefined>
  /** Stops it like Ctrl-C. Resolves to its exit code. */
  stop(): Promise<number>
}

/** Waits for further changes, because an editor or a checkout may write several files. */
const SETTLE_MS = 200

export const startWatchedRuntime = ({ args, folders, print, platform = process.platform }: Options): WatchedRuntime => {
  let child = startChild(args(undefined), platform)
  const { ready } = child
  let isWanted = true
  let restarting = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const restart = async (): Promise<void> => {
    await child.stop()
    if (!isWanted) return
    print('restarting the runtime, because its sources changed')
    child = startChild(args(await ready), platform)
    if ((await child.ready) === undefined && isWanted) print('the runtime did not start; waiting for the next change')
  }
  const watchers = folders.map((folder) =>
    watch(folder, { recursive: true }, (_event, file) => {
      if (file === null || TEST_FILE.test(file) || !/\.(ts|js|mjs|json)$/.test(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        restarting = restarting.then(restart)
      }, SETTLE_MS)
    }),
  )

  return {
    ready,
    stop: async () => {
      isWanted = false
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
      const code = await child.stop()
      await restarting
      return code
    },
  }
}

const startChild = (args: readonly string[], platform: NodeJS.Platform) => {
  // In its own process group, so that it gets a Ctrl-C only from us: a second signal would end it at once. With
  // npm_lifecycle_event it ends when this process is gone.
  const env = { ...process.env, npm_lifecycle_event: 'dev' }
  const detached = platform !== 'win32'
  const stdio = ['ignore', 'pipe', 'inherit', ...stopChannel(platform)] as const
  const child = spawn(process.execPath, args, { env, stdio: [...stdio], detached })
  const exited = once(child, 'exit').then(([code]) => (code as number | null) ?? 1)
  const ready = readReady(child)
  return {
    ready,
    stop: async (): Promise<number> => {
      if (child.exitCode === null && child.signalCode === null) askToStop(child, 'SIGTERM', platform)
      return exited
    },
  }
}

/** Also prints its output. */
const readReady = async (child: ChildProcess): Promise<string | undefined> => {
  const lines = createInterface({ input: child.stdout! })
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      console.log(line)
      const url = /^ready (http:\/\/\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    lines.on('close', () => resolve(undefined))
  })
}
