// A real hosted store on a real PostgreSQL, with functions for common steps. Tests of one file share the server; each test
// has a workspace of its own.

import { afterAll, beforeAll } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import type { NewExecution } from '../../src-runtime/ports/executions.ts'
import type { NewVersion } from '../../src-runtime/ports/programs.ts'
import { createIds, type Ids } from '../../src-runtime/shared/ids.ts'
import { startPostgresForTests } from '../boot/postgres-rig.test-support.ts'
import type { EmbeddedPostgres } from '../boot/embedded-postgres.ts'
import type { PostgresSettings } from '../boot/postgres-settings.ts'
import { openSession, type Session } from './database.ts'
import { migrateDatabase } from './migrate.ts'
import { openHostedStore } from './open-hosted-store.ts'
import type { Acceptance, Ahead, Committed, CommittedTurns, HostedStore, Lost, Seen, WorkspaceStores } from './store.ts'

const LOGIN = { user: 'wes_server', password: 'of tests' }

/** The URL of another user of the same database. */
export const urlOf = (ownerUrl: string, { user, password } = LOGIN): string => {
  const url = new URL(ownerUrl)
  url.username = user
  url.password = encodeURIComponent(password)
  return url.href
}

export type HostedRig = {
  readonly postgres: EmbeddedPostgres
  readonly store: HostedStore
  readonly url: string
  /** As the owner, who sees everything. */
  readonly sql: Session['run']
  /** How many transactions wrote something meanwhile. */
  transactionsOf(run: () => Promise<unknown>): Promise<number>
  newWorkspace(): Promise<WorkspaceRig>
}

export type WorkspaceRig = {
  readonly workspaceId: string
  readonly projectId: string
  readonly ids: Ids
  readonly accept: Acceptance
  readonly store: WorkspaceStores
  deploy(programId: string, more?: Partial<NewVersion>): Promise<Deployed>
  newExecution(version: Deployed, more?: Partial<NewExecution>): NewExecution
  /** Deploys its Program if necessary. */
  start(programId?: string, more?: Partial<NewExecution>, ahead?: Ahead): Promise<ExecutionHead>
  /** Commits on the row as it is now. */
  commit(id: string, change: Change, more?: Partial<CommittedTurns>): Promise<Committed | Lost>
  seen(id: string): Promise<Seen>
}

export type Deployed = {
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
}

/** Call it at the top of a test file. */
export const hostedRig = (settings?: PostgresSettings): HostedRig => {
  let rig: HostedRig | undefined
  let close = async (): Promise<void> => {}
  beforeAll(async () => {
    const postgres = await startPostgresForTests(settings)
    await migrateDatabase({ ownerUrl: postgres.ownerUrl, login: LOGIN })
    const url = urlOf(postgres.ownerUrl)
    const store = await openHostedStore({ url, connections: { app: 8, worker: 8 } })
    const session = await openSession(postgres.ownerUrl, { search_path: 'wes' })
    close = async () => {
      await store.close()
      await session.close()
      await postgres.stop()
    }
    const transactionsOf = (run: () => Promise<unknown>) => countTransactions(session.run, run)
    rig = { postgres, store, url, sql: session.run, transactionsOf, newWorkspace: () => newWorkspace(store) }
  })
  afterAll(() => close())
  return new Proxy({} as HostedRig, { get: (_, member: keyof HostedRig) => rig![member] })
}

const countTransactions = async (sql: Session['run'], run: () => Promise<unknown>): Promise<number> => {
  const newest = async () => {
    const [row] = await sql<{ xid: number }>('SELECT pg_current_xact_id()::text::int AS xid')
    return row!.xid
  }
  const before = await newest()
  await run()
  return (await newest()) - before - 1
}

const newWorkspace = async (hosted: HostedStore): Promise<WorkspaceRig> => {
  const ids = createIds(hosted.now)
  const workspaceId = ids('wsp')
  const projectId = ids('prj')
  await hosted.workspaces.create({ id: workspaceId, name: 'Shop', defaultProjectId: projectId })
  const store = hosted.forWorkspace(workspaceId)
  const accept = hosted.acceptFor(workspaceId)
  const deployed = new Map<string, Deployed>()

  const deploy: WorkspaceRig['deploy'] = async (programId, more = {}) => {
    const versionId = ids('ver')
    const { program } = await store.programs.deploy({
      ...{ id: versionId, projectId, programId, digest: versionId, origin: 'upload', runnable: true },
      ...{ manifest: '{}', code: '({})', createdAt: 0 },
      ...more,
    })
    const { number } = program.latestVersion
    const version = { projectId: more.projectId ?? projectId, programId, versionId, versionNumber: number }
    deployed.set(programId, version)
    return version
  }

  const newExecution: WorkspaceRig['newExecution'] = (version, more = {}) => ({
    id: ids('exe'),
    ...version,
    createdAt: hosted.now(),
    data: '{"input":1}',
    ...more,
  })

  const seen = async (id: string): Promise<Seen> => {
    const { head, stirred } = (await hosted.engine.load(id))!
    const { key, turns, cancelRequestedAt, lastCommand, lastPosition, buffered } = head
    return { workspaceId, key, turns, cancelRequestedAt, stirred, lastCommand, lastPosition, buffered }
  }

  return {
    ...{ workspaceId, projectId, ids, accept, store, deploy, newExecution, seen },
    start: async (programId = 'order', more = {}, ahead) => {
      const version = deployed.get(programId) ?? (await deploy(programId))
      const started = await accept.start(newExecution(version, more), ahead)
      if (started.kind !== 'started') throw new Error(`the start was ${started.kind}`)
      return started.head
    },
    commit: async (id, change, more = {}) =>
      hosted.engine.commit(await seen(id), { change, wakeAt: undefined, ...more }),
  }
}
