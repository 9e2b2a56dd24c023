// A real PostgreSQL for the tests of one file. Its database is made once for all tests and copied for each.

import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts'
import { freePorts } from './free-ports.ts'
import { makePostgresFolder } from './postgres-folder.ts'
import { FAST_AND_UNSAFE, type PostgresSettings } from './postgres-settings.ts'

/** Its `stop` removes its data, too. Stops after the last test of the file, unless it is started in a hook. */
export const startPostgresForTests = async (
  settings: PostgresSettings = FAST_AND_UNSAFE,
): Promise<EmbeddedPostgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-postgres-'))
  await copyDatabaseTo(folder)
  const [port = 0] = await freePorts([0])
  const postgres = await startEmbeddedPostgres({ folder, port, settings })
  const stop = async (): Promise<void> => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  afterAll(stop)
  return { ...postgres, stop }
}

/** What a first start would make there, which takes more than a second. */
export const copyDatabaseTo = async (folder: string): Promise<void> => {
  cpSync(await template(), folder, { recursive: true, preserveTimestamps: true })
  // Node copies folders without their modes, and PostgreSQL refuses data that others may read.
  chmodSync(join(folder, 'data'), 0o700)
}

const template = async (): Promise<string> => {
  const made = join(tmpdir(), `wes-postgres-18.4-${userInfo().uid}`)
  if (existsSync(made)) return made
  const making = mkdtempSync(`${made}-`)
  await makePostgresFolder(making)
  try {
    renameSync(making, made)
  } catch {
    rmSync(making, { recursive: true, force: true }) // another test file was faster
  }
  return made
}
