// Upgrades a database of an older version in a process of its own: this one answers meanwhile, and killing that one at any
// moment leaves the database as it was, or upgraded.

import { rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import type Database from 'better-sqlite3'
import type { Logger } from 'pino'
import { type Fork, type ForkedProcess, nodeFork } from '../shared/fork.ts'
import type { UpgradeProgress } from '../shared/runtime.ts'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import { removeDraftOfBackup } from './migrate.ts'
import type { SaidOfUpgrade } from './upgrade-main.ts'
import { messageOf } from '../shared/message-of.ts'

export type UpgradeApart = {
  readonly fork?: Fork | undefined
  /** Aborted: the upgrade ends at once, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Told where the database is copied to, before that begins. */
  readonly onUpgrade?: ((backup: string) => void) | undefined
  readonly onProgress?: ((progress: UpgradeProgress) => void) | undefined
  readonly log?: Logger | undefined
}

/** Beside this module, in the sources as in a bundle. */
const ENTRY = join(import.meta.dirname, `upgrade-main${extname(import.meta.filename)}`)
const LONGEST_COMPLAINT = 2_000

/** Leaves the upgrade to the caller if the process does not get so far as to begin it. The database stays open meanwhile. */
export const upgradeApart = async (db: Database.Database, options: UpgradeApart): Promise<void> => {
  const { fork = nodeFork, signal, log } = options
  signal?.throwIfAborted()
  let copy: string | undefined
  const onUpgrade = (backup: string): void => {
    copy = backup
    options.onUpgrade?.(backup)
  }
  const before = versionOf(db)
  const ended = await run(db.name, fork, { ...options, onUpgrade })
  if (ended.kind === 'done') return
  if (ended.kind === 'lost') {
    // It was killed, and could remove nothing. The next try makes another copy, for which the room of this one is needed.
    removeDraftOfBackup(db.name)
    if (copy !== undefined && versionOf(db) === before) rmSync(copy, { force: true })
  }
  signal?.throwIfAborted()
  if (copy === undefined) {
    const reason = ended.kind === 'failed' ? ended.message : ended.reason
    log?.error(`the database is upgraded by the runtime itself, because no process could do that: ${reason}`)
    return
  }
  if (ended.kind === 'failed') throw Object.assign(new Error(ended.message), { name: ended.name, code: ended.code })
  throw new StoreUnavailableError(`the process that upgraded the database ended before it was done (${ended.reason})`)
}

const versionOf = (db: Database.Database): unknown => db.pragma('user_version', { simple: true })

type Ended = Extract<SaidOfUpgrade, { kind: 'done' | 'failed' }> | { readonly kind: 'lost'; readonly reason: string }

const run = (file: string, fork: Fork, { signal, onUpgrade, onProgress }: UpgradeApart): Promise<Ended> =>
  new Promise((resolve) => {
    let outcome: Ended | undefined
    let complaint = ''
    let child: ForkedProcess
    try {
      child = fork.start(ENTRY, [file], { execArgv: [], env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    } catch (error) {
      return resolve({ kind: 'lost', reason: messageOf(error) })
    }
    const kill = (): void => void child.kill('SIGKILL')
    const end = (reason: string): void => {
      signal?.removeEventListener('abort', kill)
      resolve(outcome ?? { kind: 'lost', reason })
    }
    signal?.addEventListener('abort', kill)
    child.stderr?.on('data', (text: Buffer) => {
      complaint = (complaint + text.toString()).slice(-LONGEST_COMPLAINT)
    })
    child.on('message', (message) => {
      const said = message as SaidOfUpgrade
      switch (said.kind) {
        case 'begins':
          return onUpgrade?.(said.backup)
        case 'progress':
          return onProgress?.(said.progress)
        case 'done':
        case 'failed':
          outcome = said
          return kill()
      }
    })
    child.on('error', (error) => end(messageOf(error)))
    child.on('close', (code, killedBy) => end(complaint.trim() || `${killedBy ?? `exit code ${code}`}`))
  })
