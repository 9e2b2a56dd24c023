// A real PostgreSQL for the tests of one file.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts'
import { freePorts } from './free-ports.ts'
import { copyDatabaseTo } from './copy-database.test-support.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** As fast as it can be, and nothing survives a power loss. */
const FAST_AND_UNSAFE: PostgresSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '64MB',
  autovacuum: 'off',
}

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
