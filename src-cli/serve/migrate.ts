// `wes migrate`: brings the hosted service's database up to date.

import { migrateDatabase } from '#hosted/store/migrate.ts'
import { checkedDatabaseUrl } from '../database-url.ts'
import { CommandFailure, UsageError, withCause } from '../failures.ts'
import type { Terminal } from '../terminal.ts'

export type MigrateFlags = {
  readonly migrationUrl?: string
  readonly databaseUrl?: string
  readonly restored?: boolean
}

export const migrate = async (flags: MigrateFlags, terminal: Terminal): Promise<void> => {
  const given = flags.migrationUrl ?? process.env['WES_MIGRATION_URL']
  if (given === undefined)
    throw new UsageError('pass --migration-url, or set WES_MIGRATION_URL: the PostgreSQL, as its owner')
  const ownerUrl = checkedDatabaseUrl('--migration-url', given)
  const login = loginOf(flags.databaseUrl ?? process.env['WES_DATABASE_URL'], ownerUrl)
  try {
    const { applied, changesRestarted } = await migrateDatabase({
      ownerUrl,
      login,
      isRestored: flags.restored === true,
      onProgress: (text) => terminal.err(`${text}\n`),
    })
    const count = `${applied} ${applied === 1 ? 'migration' : 'migrations'}`
    await terminal.out(applied === 0 ? 'the database is up to date\n' : `applied ${count}\n`)
    if (changesRestarted) await terminal.out('the database was restored: dashboards will read everything again\n')
  } catch (error) {
    throw new CommandFailure('migration_failed', withCause(error as Error))
  }
}

const loginOf = (
  databaseUrl: string | undefined,
  migratedUrl: string,
): { readonly user: string; readonly password: string } => {
  const url = databaseUrl === undefined ? undefined : new URL(checkedDatabaseUrl('--database-url', databaseUrl))
  if (url === undefined || url.username === '' || url.password === '') {
    throw new UsageError(
      '--database-url or WES_DATABASE_URL must name the user and the password that processes will use',
    )
  }
  // Their hosts may differ: processes may connect through a proxy.
  const [used, migrated] = [databaseOf(url), databaseOf(new URL(migratedUrl))]
  if (used !== migrated) {
    throw new UsageError(`--database-url names the database ${used}, and --migration-url the database ${migrated}`)
  }
  return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
}

/** By default it has the name of the user. */
const databaseOf = ({ pathname, username }: URL): string => decodeURIComponent(pathname.slice(1) || username)
