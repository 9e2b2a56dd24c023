// The process that upgrades a database of an older version. A thread of it works on the database, because SQLite blocks that for
// minutes. The main thread reports how far it is, and ends the process with the runtime.

import { statSync } from 'node:fs'
import { isMainThread, parentPort as mainThread, Worker, workerData } from 'node:worker_threads'
import { isAlive } from '../shared/is-alive.ts'
import { leaveSignalsToParent } from '../shared/leave-signals-to-parent.ts'
import { messageOf } from '../shared/message-of.ts'
import { findParentPort } from '../shared/parent-port.ts'
import type { UpgradeProgress } from '../shared/runtime.ts'
import { openDatabase } from './database.ts'
import { draftOfBackup } from './migrate.ts'

export type SaidOfUpgrade =
  /** The database is copied to this file first. */
  | { readonly kind: 'begins'; readonly backup: string }
  | { readonly kind: 'progress'; readonly progress: UpgradeProgress }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly code: string | undefined }

const TICK_MS = 250

/** In the thread. */
const upgrade = (file: string): void => {
  const say = (said: SaidOfUpgrade): void => mainThread?.postMessage(said)
  try {
    openDatabase({
      file,
      now: Date.now,
      onUpgrade: (backup) => say({ kind: 'begins', backup }),
      onStep: (step, steps) => say({ kind: 'progress', progress: { kind: 'upgrading', step, steps } }),
    }).close()
    say({ kind: 'done' })
  } catch (error) {
    say(failure(error))
  }
}

const failure = (error: unknown): SaidOfUpgrade => ({
  kind: 'failed',
  name: error instanceof Error ? error.name : 'Error',
  message: messageOf(error),
  code: codeOf(error),
})

/** Of the error or of its cause. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : codeOf(error.cause)
}

const superviseThread = (file: string): void => {
  const say = sayToRuntime()
  const parent = process.ppid
  // A thread in SQLite keeps a process from exiting.
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  process.on('exit', end)
  process.on('disconnect', end)
  leaveSignalsToParent()
  let isCopying = false
  setInterval(() => {
    // Windows keeps the number of a parent that is gone.
    if (process.ppid !== parent || !isAlive(parent)) end()
    if (isCopying) say({ kind: 'progress', progress: { kind: 'copying', percent: percentCopied(file) } })
  }, TICK_MS)
  const thread = new Worker(import.meta.filename, { workerData: file, env: {}, execArgv: [] })
  thread.on('message', (said: SaidOfUpgrade) => {
    isCopying = said.kind === 'begins'
    say(said)
  })
  thread.on('error', (error) => say(failure(error)))
}

const sayToRuntime = (): ((said: SaidOfUpgrade) => void) => {
  const parentPort = findParentPort()
  if (parentPort !== undefined) return (said) => parentPort.postMessage(said)
  if (process.send === undefined) throw new Error('the upgrade of a database is started by the runtime, not by hand')
  const send = process.send.bind(process)
  return (said) => void send(said)
}

const percentCopied = (file: string): number => {
  const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // The copy has no room in it that is not used, and so may be smaller.
  return Math.min(99, Math.floor((100 * size(draftOfBackup(file))) / Math.max(1, size(file))))
}

if (isMainThread) superviseThread(process.argv[2]!)
else upgrade(workerData as string)
