import { DatabaseError } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openSession } from './database.ts'
import { hostedRig, urlOf } from './hosted-store-rig.test-support.ts'
import { SCHEMA_VERSION, migrateDatabase, schemaFault } from './migrate.ts'
import { labelsSearched } from './migrations/072-labels-searched.ts'
import { MIGRATIONS } from './migrations.ts'
import { openHostedStore } from './open-hosted-store.ts'
import { toStoreError } from './postgres-errors.ts'

const rig = hostedRig()

it('applies each migration once, however many processes ask at the same time', async () => {
  await rig.sql('CREATE DATABASE another')
  const url = new URL(rig.postgres.ownerUrl)
  url.pathname = '/another'
  const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase({ ownerUrl: url.href })))
  expect(applied.map((one) => one.applied).toSorted((one, other) => one - other)).toEqual([0, 0, SCHEMA_VERSION])
})

it('applies nothing of a migration that fails, and says which', async () => {
  const broken = { version: SCHEMA_VERSION + 1, sql: 'CREATE TABLE half (n int); SELECT nothing' }
  const { ownerUrl } = rig.postgres
  await expect(migrateDatabase({ ownerUrl, migrations: [broken] })).rejects.toThrow(`migration ${broken.version}`)
  expect(await rig.sql(`SELECT FROM pg_tables WHERE tablename = 'half'`)).toEqual([])
})

it('lets others use a table that it waits for, and goes on once the table is free', async () => {
  await rig.sql('CREATE TABLE busy (n int)')
  const { ownerUrl } = rig.postgres
  const backup = await openSession(ownerUrl, { search_path: 'wes' })
  onTestFinished(backup.close)
  await backup.run('BEGIN')
  await backup.run('SELECT FROM busy')
  const version = SCHEMA_VERSION + 1
  const told: string[] = []
  const migrated = migrateDatabase({
    ownerUrl,
    migrations: [{ version, sql: 'ALTER TABLE busy ADD COLUMN m int' }],
    onProgress: (text) => told.push(text),
  })
  const waits = () => rig.sql(`SELECT FROM pg_locks WHERE relation = 'busy'::regclass AND NOT granted`)
  await vi.waitUntil(async () => (await waits()).length > 0)
  await rig.sql('SELECT FROM busy')
  await backup.run('COMMIT')
  expect(await migrated).toMatchObject({ applied: 1 })
  expect(told).toEqual([
    `applying migration ${version}`,
    `migration ${version} waits for a table that transactions of others use, such as a backup`,
  ])
  expect(await rig.sql('SELECT m FROM busy')).toEqual([])
  await rig.sql('DELETE FROM migrations WHERE version = $1', [version])
})

it('goes on also where others and a migration have waited for each other', async () => {
  await rig.sql('CREATE TABLE one (n int)')
  await rig.sql('CREATE TABLE other (n int)')
  const { ownerUrl } = rig.postgres
  // So that it is the migration that finds out.
  const patient = await openSession(ownerUrl, { search_path: 'wes', deadlock_timeout: '60s' })
  onTestFinished(patient.close)
  await patient.run('BEGIN')
  await patient.run('SELECT FROM other')
  const version = SCHEMA_VERSION + 1
  const sql = 'ALTER TABLE one ADD COLUMN m int; ALTER TABLE other ADD COLUMN m int'
  const migrated = migrateDatabase({ ownerUrl, migrations: [{ version, sql }] })
  await vi.waitUntil(async () => {
    const waits = await rig.sql(`SELECT FROM pg_locks WHERE relation = 'other'::regclass AND NOT granted`)
    return waits.length > 0
  })
  await patient.run('SELECT FROM one')
  await patient.run('COMMIT')
  expect(await migrated).toMatchObject({ applied: 1 })
  await rig.sql('DELETE FROM migrations WHERE version = $1', [version])
})

it('makes an index while others write to its table, also where a try before has left it', async () => {
  await rig.sql('CREATE TABLE large (n int)')
  await rig.sql('CREATE INDEX large_new ON large (n) WHERE n = 0')
  const { ownerUrl } = rig.postgres
  const writer = await openSession(ownerUrl, { search_path: 'wes' })
  onTestFinished(writer.close)
  await writer.run('BEGIN')
  await writer.run('INSERT INTO large VALUES (1)')
  const version = SCHEMA_VERSION + 1
  const sql = 'ALTER INDEX large_new RENAME TO large_by_n'
  const migrations = [{ version, indexes: { large_new: 'ON large (n)' }, sql }]
  const told: string[] = []
  const onProgress = (text: string) => void told.push(text)
  const migrated = Promise.all([1, 2].map(() => migrateDatabase({ ownerUrl, migrations, onProgress })))
  const waits = () =>
    rig.sql(
      `SELECT FROM pg_stat_activity WHERE query ~ 'INDEX CONCURRENTLY' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`,
    )
  await vi.waitUntil(async () => (await waits()).length > 0)
  await rig.sql('INSERT INTO large VALUES (2)')
  await writer.run('COMMIT')
  expect((await migrated).map(({ applied }) => applied).toSorted()).toEqual([0, 1])
  expect(told.toSorted()).toEqual([
    `applying migration ${version}`,
    `making the index large_new of migration ${version}, which waits for transactions that have begun`,
    'waiting for another process, which is migrating this database',
  ])
  const indexes = await rig.sql(`SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'large'`)
  expect(indexes).toEqual([
    { indexname: 'large_by_n', indexdef: 'CREATE INDEX large_by_n ON wes.large USING btree (n)' },
  ])
  await rig.sql('DELETE FROM migrations WHERE version = $1', [version])
})

it('makes rows while others write, also where a try before has failed, and also where the owner is no superuser', async () => {
  await rig.sql(`CREATE ROLE filler LOGIN CREATEROLE PASSWORD 'of tests'`)
  await rig.sql('GRANT wes_app, wes_worker TO filler WITH ADMIN TRUE, INHERIT FALSE')
  await rig.sql('CREATE DATABASE filled OWNER filler')
  const url = new URL(urlOf(rig.postgres.ownerUrl, { user: 'filler', password: 'of tests' }))
  url.pathname = '/filled'
  const ownerUrl = url.href
  const migrations = MIGRATIONS.filter(({ version }) => version <= labelsSearched.version)
  await migrateDatabase({ ownerUrl, migrations: migrations.slice(0, -1) })
  const owner = await openSession(ownerUrl, { search_path: 'wes' })
  onTestFinished(owner.close)
  const insert = `INSERT INTO executions (key, created_at, workspace, project, program, version, last_position, turns, last_command,
      buffered, buffered_bytes, stirred, status, id, label)
    SELECT n, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 4, 'exe_' || n, CASE WHEN n % 3 = 0 THEN 'Order ' || n END`
  const asOwner = (sql: string) =>
    owner.run(
      `ALTER TABLE executions NO FORCE ROW LEVEL SECURITY; ${sql}; ALTER TABLE executions FORCE ROW LEVEL SECURITY`,
    )
  await asOwner(`${insert} FROM generate_series(1, 12000) AS n`)
  const fill = { ...labelsSearched.fill!, next: 'SELECT nothing' }
  await expect(migrateDatabase({ ownerUrl, migrations: [{ ...labelsSearched, fill }] })).rejects.toThrow(
    'of migration 72',
  )
  // Who deletes an Execution waits for one step, which takes a millisecond for each label of full length.
  const [step] = await owner.run<{ next: number }>(labelsSearched.fill!.next, [0])
  expect(step!.next).toBeLessThanOrEqual(500)
  await asOwner(`${insert} FROM generate_series(12001, 12003) AS n; DELETE FROM executions WHERE key = 3`)
  const told: string[] = []
  const onProgress = (text: string) => void told.push(text)
  expect(await migrateDatabase({ ownerUrl, migrations, onProgress })).toMatchObject({ applied: 1 })
  expect(told).toEqual(['applying migration 72', 'making the rows of migration 72'])
  expect(await owner.run('SELECT FROM label_texts')).toEqual([])
  const secured = await owner.run(
    `SELECT FROM pg_class WHERE relname IN ('executions', 'label_texts') AND relforcerowsecurity`,
  )
  expect(secured).toHaveLength(2)
  await owner.run('ALTER TABLE label_texts NO FORCE ROW LEVEL SECURITY')
  const texts = await owner.run(`SELECT count(*)::int AS count, min(text), max(text) FROM label_texts`)
  expect(texts).toEqual([{ count: 4_000, min: 'order 10002', max: 'order 9999' }])
})

it('takes longer than statements may take on this server', async () => {
  await rig.sql('CREATE DATABASE impatient')
  await rig.sql(`ALTER DATABASE impatient SET statement_timeout = '100ms'`)
  await rig.sql(`ALTER DATABASE impatient SET transaction_timeout = '100ms'`)
  const url = new URL(rig.postgres.ownerUrl)
  url.pathname = '/impatient'
  const migrations = [...MIGRATIONS, { version: SCHEMA_VERSION + 1, sql: 'SELECT pg_sleep(0.3)' }]
  expect(await migrateDatabase({ ownerUrl: url.href, migrations })).toMatchObject({ applied: migrations.length })
})

it('gives the user of processes another password, and changes new numbers, also where the owner is no superuser', async () => {
  await rig.sql(`CREATE ROLE manager LOGIN CREATEROLE PASSWORD 'of tests'`)
  await rig.sql('GRANT wes_app, wes_worker TO manager WITH ADMIN OPTION')
  await rig.sql('CREATE DATABASE managed OWNER manager')
  const at = (user: string, password: string) => {
    const url = new URL(urlOf(rig.postgres.ownerUrl, { user, password }))
    url.pathname = '/managed'
    return url.href
  }
  const ownerUrl = at('manager', 'of tests')
  for (const password of ['first', 'second']) {
    await migrateDatabase({ ownerUrl, login: { user: 'managed_server', password } })
    const session = await openSession(at('managed_server', password), { role: 'wes_app' })
    await session.close()
  }
  const owner = await openSession(ownerUrl, { search_path: 'wes' })
  onTestFinished(owner.close)
  await owner.run(`ALTER TABLE changes NO FORCE ROW LEVEL SECURITY;
    INSERT INTO changes (slot, xid, at, workspace, project) VALUES (0, '1000000007', 0, 0, 0);
    ALTER TABLE changes FORCE ROW LEVEL SECURITY;
    UPDATE change_marks SET xid = '1000000000'`)
  expect(await migrateDatabase({ ownerUrl })).toEqual({ applied: 0, changesRestarted: true })
  expect(await migrateDatabase({ ownerUrl })).toEqual({ applied: 0, changesRestarted: false })
  await owner.run('ALTER TABLE changes NO FORCE ROW LEVEL SECURITY')
  expect(await owner.run('SELECT xid FROM changes')).toEqual([{ xid: '2' }])
  const login = { user: 'manager', password: 'of tests' }
  await expect(migrateDatabase({ ownerUrl, login, migrations: [] })).rejects.toThrow('a user of their own')
})

it('says what rights are missing', async () => {
  const url = new URL(urlOf(rig.postgres.ownerUrl, { user: 'no_owner', password: 'of tests' }))
  await rig.sql(`CREATE ROLE no_owner LOGIN PASSWORD 'of tests'`)
  await rig.sql('CREATE DATABASE without_roles OWNER no_owner')
  const rights = 'must own the database and its schema wes, and have CREATEROLE'
  await expect(migrateDatabase({ ownerUrl: url.href })).rejects.toThrow(rights)
  url.pathname = '/without_roles'
  await expect(migrateDatabase({ ownerUrl: url.href })).rejects.toThrow(rights)
})

it('refuses a new database that cannot store every text', async () => {
  await rig.sql(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
  const url = new URL(rig.postgres.ownerUrl)
  url.pathname = '/latin'
  await expect(migrateDatabase({ ownerUrl: url.href })).rejects.toThrow(`ENCODING 'UTF8'`)
})

it('refuses connections whose settings do not reach PostgreSQL', async () => {
  const url = `${rig.url}?options=-c%20search_path=wes`
  const opening = openHostedStore({ url, connections: { app: 1, worker: 1 } })
  await expect(opening).rejects.toThrow('connect to PostgreSQL itself')
  const ownerUrl = `${rig.postgres.ownerUrl}?options=-c%20lock_timeout=0`
  await expect(migrateDatabase({ ownerUrl })).rejects.toThrow('connect to PostgreSQL itself')
})

it('refuses a server that takes no writes', async () => {
  await rig.sql('CREATE DATABASE standby')
  await rig.sql('ALTER DATABASE standby SET default_transaction_read_only = on')
  const url = new URL(rig.url)
  url.pathname = '/standby'
  const opening = openHostedStore({ url: url.href, connections: { app: 1, worker: 1 } })
  await expect(opening).rejects.toThrow('connect to the one that does')
})

it('says that a server is too old', () => {
  const error = new DatabaseError('unrecognized configuration parameter "transaction_timeout"', 1, 'error')
  expect(toStoreError(error)).toMatchObject({ message: expect.stringContaining('PostgreSQL 18') })
})

it('refuses a database that was not migrated, and one that an incompatible release migrated', async () => {
  await rig.sql('CREATE DATABASE empty')
  const url = new URL(rig.url)
  url.pathname = '/empty'
  const opening = openHostedStore({ url: url.href, connections: { app: 1, worker: 1 } })
  await expect(opening).rejects.toThrow('run `wes migrate`')
  const current = { version: SCHEMA_VERSION, breaks: false }
  const newer = { version: SCHEMA_VERSION + 1, breaks: false }
  expect(schemaFault([current])).toBeUndefined()
  expect(schemaFault([current, newer])).toBeUndefined()
  expect(schemaFault([current, { ...newer, breaks: true }])).toContain('does not know')
})
