// `wes dev` as a child process that is started again when its own sources change.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { createInterface } from 'node:readline'
import { TEST_FILE } from '../build/targets.ts'

type Options = {
  /** Of Node. `url` is where it was ready before: it comes back there. */
  readonly args: (url: string | undefined) => readonly string[]
  /** Whose changes count. */
  readonly folders: readonly string[]
  readonly tell: (line: string) => void
}

export type WatchedRuntime = {
  /** The address behind its first `ready`; undefined when it ended before, having said why. */
  readonly ready: Promise<string | undefined>
  /** As Ctrl-C does. Answers its exit code. */
  stop(): Promise<number>
}

/** An editor, or a checkout, writes more than one file. */
const SETTLE_MS = 200

export const startWatchedRuntime = ({ args, folders, tell }: Options): WatchedRuntime => {
  let child = startChild(args(undefined))
  const { ready } = child
  let isWanted = true
  let restarting = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const restart = async (): Promise<void> => {
    await child.stop()
    if (!isWanted) return
    tell('the runtime starts again, because its sources changed')
    child = startChild(args(await ready))
    if ((await child.ready) === undefined && isWanted) tell('it starts again at the next change')
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

const startChild = (args: readonly string[]) => {
  // In a group of its own, because a second signal would end it at once: a Ctrl-C reaches it through us alone. It watches
  // its parent, as whoever is started by npm.
  const env = { ...process.env, npm_lifecycle_event: 'dev' }
  const detached = process.platform !== 'win32'
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached })
  const exited = once(child, 'exit').then(([code]) => (code as number | null) ?? 1)
  const ready = readReady(child)
  return {
    ready,
    stop: async (): Promise<number> => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return exited
    },
  }
}

/** Its output is ours, too. */
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
