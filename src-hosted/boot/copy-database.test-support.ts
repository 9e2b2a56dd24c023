// A database for tests, made once for all of them and copied for each.

import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { makePostgresFolder } from './postgres-folder.ts'

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
