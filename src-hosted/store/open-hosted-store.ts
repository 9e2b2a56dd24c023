// Opens the hosted store: connections for callers, connections for what runs Executions, and PostgreSQL's clock.

import { createAcceptance } from './acceptance.ts'
import { createBulkStore, createBulkWork } from './bulks.ts'
import { createChangeStore } from './change-store.ts'
import { createSealedCursors } from './sealed-cursors.ts'
import { createServiceSecret } from './service-secret.ts'
import { createDatabaseClock, type DatabaseClock } from './clock.ts'
import { openDatabase, type Database, type LastUses } from './database.ts'
import { createEngineStore } from './engine-store.ts'
import { createFindKeys } from './find-keys.ts'
import { createFindScope } from './find-scope.ts'
import { createExecutionReads } from './executions.ts'
import { createKeptIdentities, type IdentitiesOfWorkspace } from './kept-identities.ts'
import { createKeptVersions, type VersionsOfWorkspace } from './kept-versions.ts'
import { createJournalReads } from './journal.ts'
import { madeByKey } from './made-by-key.ts'
import { schemaFault, type AppliedMigration } from './migrate.ts'
import { createNotices } from './notices.ts'
import { createOverviewReads } from './overview.ts'
import { lacksRoles, POOLER } from './postgres-errors.ts'
import { createProgramStore } from './programs.ts'
import { createProjectStore } from './projects.ts'
import { CHANGES_AHEAD } from './restored.ts'
import { createScope, type Scope } from './scope.ts'
import { createSecretStore } from './environment.ts'
import type { HostedStore, WorkspaceStores } from './store.ts'
import { createTenantStore } from './tenant.ts'
import { createAccessStore } from './tokens.ts'
import { createScheduleStore } from './triggers.ts'
import { createUsageFolding } from './usage.ts'
import { createUpkeep } from './upkeep.ts'
import { createWorkspaceKeys } from './workspace-keys.ts'
import { createWorkspaceRemoval } from './workspace-removal.ts'
import { createWorkspaceStore } from './workspaces.ts'

const CLOCK_EVERY_MS = 5_000
const MOST_WORKSPACES = 10_000

/**
 * Rejects when the database cannot be reached, or has a schema that this release does not work with. `url`: of a user who
 * can become `wes_app` and `wes_worker`; see `migrateDatabase`.
 */
export const openHostedStore = async (options: {
  readonly url: string
  /** For callers, and for what runs Executions. */
  readonly connections: { readonly app: number; readonly worker: number }
}): Promise<HostedStore> => {
  const { url, connections } = options
  const lastUses: LastUses = new Map()
  const worker = openDatabase({ url, role: 'wes_worker', connections: connections.worker, lastUses })
  const app = openDatabase({ url, role: 'wes_app', connections: connections.app, lastUses })
  const clock = createDatabaseClock()
  try {
    await checkRoles(worker)
    await checkSchema(worker)
    await readClock(worker, clock)
  } catch (error) {
    await Promise.all([app.close(), worker.close()])
    throw error
  }
  const timer = setInterval(() => void readClock(worker, clock).catch(() => {}), CLOCK_EVERY_MS)
  timer.unref()
  return compose({ app, worker, clock, url, stop: () => clearInterval(timer) })
}

const compose = (parts: {
  readonly app: Database
  readonly worker: Database
  readonly clock: DatabaseClock
  readonly url: string
  stop(): void
}): HostedStore => {
  const { app, worker, clock, url } = parts
  const { now, setBacks } = clock
  const keyOf = createWorkspaceKeys(worker)
  const scopeOf = (db: Database, workspaceId: string): Scope => createScope(db, () => keyOf(workspaceId))
  const notices = createNotices(url)
  const readSecret = createServiceSecret(worker)
  const versionsOf = createKeptVersions()
  const identitiesOf = createKeptIdentities()
  return {
    acceptFor: (workspaceId, { loadsWoken } = { loadsWoken: false }) =>
      createAcceptance(scopeOf(app, workspaceId), {
        ...{ loadsWoken, clock },
        identities: identitiesOf(workspaceId),
      }),
    // An API process needs it for each request.
    forWorkspace: madeByKey(MOST_WORKSPACES, (workspaceId) =>
      workspaceStores({
        scope: scopeOf(app, workspaceId),
        searching: scopeOf(worker, workspaceId),
        versions: versionsOf(workspaceId),
        identities: identitiesOf(workspaceId),
        now,
        sealedCursors: async () => createSealedCursors(await readSecret(), workspaceId),
      }),
    ),
    engine: createEngineStore(worker, clock),
    changes: createChangeStore(worker, readSecret),
    notices,
    workspaces: createWorkspaceStore(worker),
    workspaceRemoval: createWorkspaceRemoval(worker),
    access: createAccessStore(worker),
    schedules: createScheduleStore(worker, clock),
    usage: createUsageFolding(worker),
    secrets: createSecretStore(worker),
    bulkWork: createBulkWork(worker),
    upkeep: createUpkeep(worker, now),
    now,
    setBacks,
    connections: () => [
      { pool: 'app', ...app.state() },
      { pool: 'worker', ...worker.state() },
    ],
    close: async () => {
      parts.stop()
      await Promise.all([notices.close(), app.close(), worker.close()])
    },
  }
}

const workspaceStores = (parts: {
  readonly scope: Scope
  readonly searching: Scope
  readonly versions: VersionsOfWorkspace
  readonly identities: IdentitiesOfWorkspace
  readonly now: () => number
  readonly sealedCursors: WorkspaceStores['sealedCursors']
}): WorkspaceStores => {
  const { scope, searching, versions, identities, now, sealedCursors } = parts
  const findScope = createFindScope(scope)
  const findKeys = createFindKeys(scope, searching, findScope)
  return {
    projects: createProjectStore(scope),
    programs: createProgramStore(scope, versions),
    executions: createExecutionReads(scope, identities),
    journal: createJournalReads(scope),
    overview: createOverviewReads({ scope, findScope, findKeys, now }),
    bulks: createBulkStore({ scope, findKeys, now }),
    tenant: createTenantStore(scope),
    sealedCursors,
  }
}

const readClock = async (db: Database, clock: DatabaseClock): Promise<void> => {
  const askedAt = performance.now()
  const [row] = await db.run<{ at: number }>('SELECT wes_now() AS at')
  clock.told(row!.at, askedAt)
}

const READ_ONLY = 'PostgreSQL takes no writes here, as on a standby: connect to the one that does'

/** Not prepared: a pooler may have given the connection to another process before. */
const checkRoles = async (db: Database): Promise<void> => {
  try {
    const [roles] = await db.runOnce<{ is_worker: boolean; may_be_app: boolean; writes: boolean }>(
      `SELECT current_user = 'wes_worker' AS is_worker, pg_has_role(session_user, 'wes_app', 'SET') AS may_be_app,
         current_setting('transaction_read_only') = 'off' AS writes`,
      [],
    )
    if (!roles!.is_worker) throw new Error(POOLER)
    if (!roles!.writes) throw new Error(READ_ONLY)
    if (!roles!.may_be_app) throw new Error('the user of the database may not become wes_app: run `wes migrate`')
  } catch (error) {
    if (!lacksRoles(error)) throw error
  }
}

const checkSchema = async (db: Database): Promise<void> => {
  const fault = schemaFault(await readMigrations(db))
  if (fault !== undefined) throw new Error(fault)
  const [folded] = await db.run<{ is_ahead: boolean }>(CHANGES_AHEAD)
  if (folded!.is_ahead) throw new Error('the database was restored from a dump: run `wes migrate`')
}

const readMigrations = async (db: Database): Promise<readonly AppliedMigration[]> => {
  try {
    const [known] = await db.run<{ found: boolean }>(`SELECT to_regclass('wes.migrations') IS NOT NULL AS found`)
    return known!.found ? await db.run<AppliedMigration>('SELECT version, breaks FROM migrations') : []
  } catch (error) {
    if (lacksRoles(error)) return []
    throw error
  }
}
