// A worker on a real store in a temporary folder, with scripted Programs and a manual clock.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { vi } from 'vitest'
import type { Clock } from '../shared/clock.ts'
import { noEffects, type EffectPerformer } from '../effects/effect-performer.ts'
import type { EarlyAction } from '../engine/act-early.ts'
import type { Status } from '../engine/journal.ts'
import { createIds } from '../shared/ids.ts'
import type { ProgramHosts } from '../sandbox/program-hosts.ts'
import { createManualClock } from '../shared/manual-clock.test-support.ts'
import { openDatabase } from '../store/database.ts'
import { createStore } from '../store/open-store.ts'
import type { ExecutionChange } from '../ports/changes.ts'
import type { UnderWay } from './under-way.ts'
import { createWorker, type RunningWorker } from './create-worker.ts'
import { createScriptedHosts, type ScriptedProgram } from './scripted-hosts.test-support.ts'

export const T0 = 1_790_000_000_000

export const noNotes: UnderWay = {
  died: () => [],
  begin: () => undefined,
  end: () => undefined,
  clear: () => undefined,
  close: () => undefined,
}

export type Rig = Awaited<ReturnType<typeof createRig>>

export const createRig = async (
  programFor: (executionId: string) => ScriptedProgram,
  options: {
    readonly effects?: EffectPerformer
    /** Default: the manual clock. */
    readonly clock?: Clock
    readonly underWay?: UnderWay
    /** Called at each start. */
    readonly runsEffects?: () => boolean
    /** In place of the scripted ones. */
    readonly hosts?: ProgramHosts
    /** Of an activation in the scripted hosts. */
    readonly outputChars?: number
  } = {},
) => {
  const dir = mkdtempSync(join(tmpdir(), 'wes-worker-'))
  const clock = createManualClock(T0)
  const ids = createIds(clock.now)
  const hosts = createScriptedHosts(programFor, options.outputChars)
  const changes: ExecutionChange[] = []
  const logged: string[] = []
  const db = openDatabase({ file: join(dir, 'wes.db'), now: clock.now })
  /** Called before each commit; true makes the commit fail, as a full disk does. */
  const trouble = { failsCommit: (): boolean => false }
  const store = createStore(db, {
    now: clock.now,
    onWritten: () => {
      if (trouble.failsCommit()) db.exec('ROLLBACK')
    },
    onCommitted: (committed) => changes.push(...committed.filter((one) => one.kind === undefined)),
  })
  await store.programs.deploy({
    id: ids('ver'),
    projectId: 'default',
    programId: 'hello',
    digest: 'a',
    origin: 'upload',
    runnable: true,
    manifest: '{}',
    code: '({ run() {} })',
    createdAt: T0,
  })
  const version = store.programs.newestRunnable('default', 'hello')!

  const newWorker = (): RunningWorker =>
    createWorker({
      store,
      hosts: options.hosts ?? hosts.newProcess(),
      effects: options.effects ?? noEffects,
      clock: options.clock ?? clock,
      underWay: options.underWay ?? noNotes,
      runsEffects: options.runsEffects?.() ?? true,
      log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }),
      cancelGraceMs: 30_000,
    })
  let worker = newWorker()
  worker.start()

  const start = async (data = '{"input":1}') => {
    const started = await worker.startExecution({
      id: ids('exe'),
      projectId: 'default',
      programId: 'hello',
      versionId: version.id,
      versionNumber: 1,
      createdAt: clock.now(),
      data,
    })
    if (started.kind !== 'started') throw new Error('not started')
    return started.head.key
  }
  const journal = (key: number) => store.journal.page(key, 0, 10_000).items
  const until = (key: number, status: Status) =>
    vi.waitFor(
      () => {
        const found = store.executions.head(key)?.status
        if (found !== status) throw new Error(`the Execution is ${found}, not ${status}`)
      },
      { interval: 2 },
    )

  return {
    store,
    db,
    clock,
    hosts,
    trouble,
    changes,
    logged,
    start,
    journal,
    worker: () => worker,
    send: (key: number, name: string, payload = '1') => worker.sendEvent(key, { id: ids('evt'), name, payload }),
    actEarly: (key: number, action: EarlyAction, command: number) => worker.actEarly(key, action, command),
    head: (key: number) => store.executions.head(key)!,
    record: (key: number) => store.executions.record(key)!,
    types: (key: number) => journal(key).map(({ type }) => type),
    until,
    startUntil: async (status: Status) => {
      const key = await start()
      await until(key, status)
      return key
    },
    /** The process dies and starts again: only the store survives. */
    restart: () => {
      void worker.stop()
      worker = newWorker()
      worker.start()
    },
    close: async () => {
      await worker.stop()
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
