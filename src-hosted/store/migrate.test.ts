import { expect, it } from 'vitest'
import { hostedRig } from './hosted-store-rig.test-support.ts'
import { SCHEMA_VERSION, migrateDatabase, schemaFault } from './migrate.ts'
import { openHostedStore } from './open-hosted-store.ts'

const rig = hostedRig()

it('applies each migration once, however many processes ask at the same time', async () => {
  await rig.sql('CREATE DATABASE another')
  const url = new URL(rig.postgres.ownerUrl)
  url.pathname = '/another'
  const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase({ ownerUrl: url.href })))
  expect(applied.toSorted((one, other) => one - other)).toEqual([0, 0, SCHEMA_VERSION])
})

it('applies nothing of a migration that fails, and says which', async () => {
  const broken = { version: SCHEMA_VERSION + 1, sql: 'CREATE TABLE half (n int); SELECT nothing' }
  const { ownerUrl } = rig.postgres
  await expect(migrateDatabase({ ownerUrl, migrations: [broken] })).rejects.toThrow(`migration ${broken.version}`)
  expect(await rig.sql(`SELECT FROM pg_tables WHERE tablename = 'half'`)).toEqual([])
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
