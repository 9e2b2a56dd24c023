// A real store in a temporary directory, with a manual clock and functions for common steps.

import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { Change } from '../engine/change.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { createIds } from '../shared/ids.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { openDatabase } from './database.ts'
import { createStore } from './open-store.ts'
import type { NewExecution } from '../ports/executions.ts'
import type { NewVersion } from '../ports/programs.ts'
import type { ExecutionChange, ProgramChange } from '../ports/changes.ts'
import type { Store } from './store.ts'

export const START = Date.UTC(2026, 10, 20)

export const temporaryDirectory = (): string => temporaryFolder('store')

export type Rig = {
  readonly file: string
  readonly store: Store
  /** The store's connection. */
  readonly db: Database.Database
  /** One item per report of Executions. */
  readonly reports: (readonly ExecutionChange[])[]
  readonly programReports: ProgramChange[]
  readonly clock: { now: number }
  readonly deploy: (programId: string, more?: Partial<NewVersion>) => Promise<{ versionId: string; number: number }>
  readonly newExecution: (version: { versionId: string; number: number }, more?: Partial<NewExecution>) => NewExecution
  /** Starts an Execution, and deploys its Program if necessary. */
  readonly start: (programId?: string, more?: Partial<NewExecution>) => Promise<ExecutionHead>
  readonly change: (key: number, change: Change) => Promise<ExecutionHead>
}

export const openRig = (
  file: string = join(temporaryDirectory(), 'wes.sqlite'),
  options: { readonly onWritten?: () => void; readonly onDiskFull?: (isFull: boolean) => void } = {},
): Rig => {
  const clock = { now: START }
  const now = () => clock.now
  const reports: (readonly ExecutionChange[])[] = []
  const programReports: ProgramChange[] = []
  const db = openDatabase({ file, now })
  const store = createStore(db, {
    now,
    ...options,
    onCommitted: (changes) => {
      const executions = changes.filter((one) => one.kind === undefined)
      if (executions.length > 0) reports.push(executions)
      programReports.push(...changes.filter((one) => one.kind === 'program'))
    },
  })
  onTestFinished(() => store.close())
  const ids = createIds(now)
  const versions = new Map<string, { programId: string; projectId: string; versionId: string; number: number }>()

  const deploy: Rig['deploy'] = async (programId, more = {}) => {
    const versionId = ids('ver')
    const projectId = more.projectId ?? 'default'
    const { program } = await store.programs.deploy({
      id: versionId,
      projectId,
      programId,
      digest: versionId,
      origin: 'upload',
      runnable: true,
      manifest: '{}',
      code: '({})',
      createdAt: clock.now,
      ...more,
    })
    const deployed = { programId, projectId, versionId, number: program.latestVersion.number }
    versions.set(versionId, deployed)
    return deployed
  }

  const newExecution: Rig['newExecution'] = ({ versionId, number }, more = {}) => ({
    id: ids('exe'),
    projectId: versions.get(versionId)?.projectId ?? 'default',
    programId: versions.get(versionId)?.programId ?? '',
    versionId,
    versionNumber: number,
    createdAt: clock.now,
    data: '{"input":1}',
    ...more,
  })

  return {
    file,
    store,
    db,
    reports,
    programReports,
    clock,
    deploy,
    newExecution,
    start: async (programId = 'order', more = {}) => {
      const known = [...versions.values()].findLast((version) => version.programId === programId)
      const started = await store.executions.start(newExecution(known ?? (await deploy(programId)), more))
      if (started.kind !== 'started') throw new Error(`the start was ${started.kind}`)
      return started.head
    },
    change: async (key, change) => {
      const changed = await store.executions.change(key, () => change)
      if (changed === undefined) throw new Error(`there is no Execution ${key}`)
      return changed.head
    },
  }
}
