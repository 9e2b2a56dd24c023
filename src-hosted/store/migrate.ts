// Brings the schema up to date, as the database's owner. One process at a time does it; the others wait, and find it done.

import { pause } from '../../src-runtime/shared/pause.ts'
import { openSession, type Session } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migration } from './migrations/migration.ts'
import { isDenied, POOLER, waitedForLock } from './postgres-errors.ts'
import { restartChanges } from './restored.ts'

/** The schema that this release needs. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version

const LOCK = 0x57_45_53
/** An index of a large table takes long, as does another process that migrates. A connection that is lost ends the wait. */
const UNTIL_DONE = 0
/** Managed servers have limits for each user. */
const NO_LIMITS = { lock_timeout: 0, statement_timeout: 0, transaction_timeout: 0 }
/**
 * A migration waits no longer for a table, which a transaction of others may hold for hours, such as that of a backup: whoever needs the
 * table meanwhile waits behind the migration. It is tried again after a pause, in which they go on.
 */
const LOCKED_WITHIN_MS = 2_000
const BETWEEN_TRIES_MS = 1_000
/** Who waits for its turn asks again and again: an index that is made concurrently waits for all statements, also one that waits for a lock. */
const ASK_AGAIN_MS = 200
const MOST_TRIES = 200

const SCHEMA = `
CREATE SCHEMA IF NOT EXISTS wes;
CREATE TABLE IF NOT EXISTS wes.migrations (
  version int PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now(),
  -- Releases that know only older versions do not work any more.
  breaks boolean NOT NULL
);
`

const RIGHTS = `
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA wes FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA wes TO wes_app, wes_worker;
GRANT SELECT ON migrations TO wes_app, wes_worker;
`

export type Migrated = {
  /** How many migrations were missing. */
  readonly applied: number
  /** Whether the stream of changes has another name now, because the database was restored. */
  readonly changesRestarted: boolean
}

/**
 * Applies what is missing. `login`: the user as whom processes connect, made or given this password; it can become `wes_app` and
 * `wes_worker` and is neither owner nor superuser. `isRestored`: to an earlier moment; a restored dump is known without it.
 */
export const migrateDatabase = async (options: {
  readonly ownerUrl: string
  readonly login?: { readonly user: string; readonly password: string }
  readonly isRestored?: boolean
  readonly migrations?: readonly Migration[]
  /** Told what begins, or is waited for: each may take minutes. */
  readonly onProgress?: (text: string) => void
}): Promise<Migrated> => {
  const { ownerUrl, login, isRestored = false, migrations = MIGRATIONS, onProgress = () => {} } = options
  const session = await openSession(ownerUrl, { search_path: 'wes', ...NO_LIMITS }, UNTIL_DONE)
  try {
    const migrated = await bringUpToDate(session, migrations, isRestored, onProgress)
    if (login !== undefined) await allowLogin(session, login)
    return migrated
  } finally {
    await session.close()
  }
}

type OnProgress = (text: string) => void

const rangeOf = (migrations: readonly Migration[]): string =>
  migrations.length === 1
    ? `migration ${migrations[0]?.version}`
    : `migrations ${migrations[0]?.version} to ${migrations.at(-1)?.version}`

const bringUpToDate = async (
  session: Session,
  migrations: readonly Migration[],
  isRestored: boolean,
  onProgress: OnProgress,
): Promise<Migrated> => {
  try {
    await checkServer(session)
    await takeTurn(session, onProgress)
    await session.run(SCHEMA)
    const [last] = await session.run<{ version: number | null }>('SELECT max(version) AS version FROM migrations')
    const missing = migrations.filter(({ version }) => version > (last?.version ?? 0))
    if (missing.length > 0) onProgress(`applying ${rangeOf(missing)}`)
    for (const migration of missing) await apply(session, migration, onProgress)
    await session.run(RIGHTS)
    return { applied: missing.length, changesRestarted: await restartChanges(session, isRestored) }
  } catch (error) {
    if (!isDenied(error)) throw error
    throw new Error('the user who migrates must own the database and its schema wes, and have CREATEROLE', {
      cause: error,
    })
  }
}

/** A database that was migrated goes on as it is. */
const checkServer = async (session: Session): Promise<void> => {
  const [server] = await session.run<{ path: string; encoding: string; is_new: boolean }>(
    `SELECT current_setting('search_path') AS path, current_setting('server_encoding') AS encoding,
       to_regclass('wes.migrations') IS NULL AS is_new`,
  )
  const { path, encoding, is_new: isNew } = server!
  if (path !== 'wes') throw new Error(POOLER)
  if (!isNew || encoding === 'UTF8') return
  throw new Error(
    `the database stores texts as ${encoding}, which lacks characters: make one with ENCODING 'UTF8' TEMPLATE template0`,
  )
}

const takeTurn = async (session: Session, onProgress: OnProgress): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const [row] = await session.run<{ is_ours: boolean }>('SELECT pg_try_advisory_lock($1) AS is_ours', [LOCK])
    if (row!.is_ours) return
    if (tries === 1) onProgress('waiting for another process, which is migrating this database')
    await pause(ASK_AGAIN_MS)
  }
}

const apply = async (session: Session, migration: Migration, onProgress: OnProgress): Promise<void> => {
  const { version, sql, fill, breaks } = migration
  await makeIndexes(session, migration, onProgress)
  if (fill !== undefined) {
    await runAtOnce(session, version, fill.begin, onProgress)
    await fillRows(session, version, fill.next, onProgress)
  }
  const noted = `INSERT INTO migrations (version, breaks) VALUES (${version}, ${breaks === true})`
  await runAtOnce(session, version, `${sql};\n${noted}`, onProgress)
}

const fillRows = async (session: Session, version: number, next: string, onProgress: OnProgress): Promise<void> => {
  onProgress(`making the rows of migration ${version}`)
  try {
    for (let after: number | null = 0; after !== null;) {
      const rows: readonly { next: number | null }[] = await session.run(next, [after])
      after = rows[0]!.next
    }
  } catch (error) {
    throw new Error(`the rows of migration ${version} could not be made; the next try makes them again`, {
      cause: error,
    })
  }
}

/** In one transaction, which is tried again while others use its tables. */
const runAtOnce = async (session: Session, version: number, sql: string, onProgress: OnProgress): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await runOnce(session, sql)
    } catch (error) {
      await session.run('ROLLBACK').catch(() => {}) // the connection is gone
      if (!waitedForLock(error) || tries === MOST_TRIES) {
        throw new Error(`migration ${version} of the database failed; nothing of it was applied`, {
          cause: error,
        })
      }
      if (tries === 1) {
        onProgress(`migration ${version} waits for a table that transactions of others use, such as a backup`)
      }
      await pause(BETWEEN_TRIES_MS)
    }
  }
}

const makeIndexes = async (
  session: Session,
  { version, indexes = {} }: Migration,
  onProgress: OnProgress,
): Promise<void> => {
  for (const [name, of] of Object.entries(indexes)) {
    onProgress(`making the index ${name} of migration ${version}, which waits for transactions that have begun`)
    try {
      await session.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
      await session.run(`CREATE INDEX CONCURRENTLY ${name} ${of}`)
    } catch (error) {
      throw new Error(`the index ${name} of migration ${version} could not be made; nothing else of it was applied`, {
        cause: error,
      })
    }
  }
}

const runOnce = async (session: Session, sql: string): Promise<void> => {
  await session.run('BEGIN')
  await session.run(`SET LOCAL lock_timeout = ${LOCKED_WITHIN_MS}`)
  await session.run(sql)
  await session.run('COMMIT')
}

const allowLogin = async (session: Session, login: { user: string; password: string }): Promise<void> => {
  const [quoted] = await session.run<{ user: string; password: string }>(
    'SELECT quote_ident($1) AS user, quote_literal($2) AS password',
    [login.user, login.password],
  )
  const { user, password } = quoted!
  const [known] = await session.run<{ may_more: boolean }>(
    'SELECT rolsuper OR rolname = current_user AS may_more FROM pg_roles WHERE rolname = $1',
    [login.user],
  )
  if (known?.may_more === true) {
    throw new Error(`${login.user} is a superuser or the owner of the database: processes need a user of their own`)
  }
  try {
    // Only a superuser may say NOSUPERUSER of a user that exists, and the owner need not be one.
    await session.run(`${known === undefined ? 'CREATE' : 'ALTER'} ROLE ${user} LOGIN PASSWORD ${password}`)
    await session.run(`GRANT wes_app, wes_worker TO ${user} WITH INHERIT FALSE, SET TRUE`)
  } catch (error) {
    throw new Error(
      `the database is up to date, but ${login.user} cannot be given its password, or the roles wes_app and wes_worker: ` +
        'the owner needs CREATEROLE, and must have made these roles or be a superuser',
      { cause: error },
    )
  }
}

export type AppliedMigration = { readonly version: number; readonly breaks: boolean }

/** Why a process of this release must not work with the schema; `undefined`: it may. */
export const schemaFault = (applied: readonly AppliedMigration[]): string | undefined => {
  const newest = Math.max(0, ...applied.map(({ version }) => version))
  if (newest < SCHEMA_VERSION) {
    return `the database has version ${newest} of its schema, and this release needs ${SCHEMA_VERSION}: run \`wes migrate\``
  }
  const breaking = applied.find(({ version, breaks }) => breaks && version > SCHEMA_VERSION)
  return (
    breaking &&
    `the database was migrated to version ${breaking.version} of its schema, which this release does not know`
  )
}
