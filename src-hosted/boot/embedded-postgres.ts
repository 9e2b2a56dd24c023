// A PostgreSQL of one's own, from its npm package: for `wes serve` without --database-url, and for tests. Runs as root too,
// listens on the loopback alone, and ends with the process that started it.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../../src-runtime/shared/pause.ts'
import { freePostgresFolder } from './postgres-lock.ts'
import { makePostgresFolder, postgresProgram, type PostgresFolder } from './postgres-folder.ts'
import { postgresSettings, type PostgresSettings } from './postgres-settings.ts'
import { spawnBound, untilReady, type BoundProcess } from './spawn-bound.ts'
import { unprivileged } from './unprivileged.ts'

export type EmbeddedPostgres = {
  readonly pid: number
  readonly port: number
  /** Of the owner of everything, with its password. Processes of the service connect as users who may do less. */
  readonly ownerUrl: string
  /** Where its Unix socket is: half the processor time of a connection over TCP. Absent where its path would be too long. */
  readonly socketFolder?: string
  /** Settles when it has ended, whoever ended it. */
  readonly ended: Promise<void>
  /** Ends all sessions, writes everything, stops. May be called twice. */
  stop(): Promise<void>
}

const STOP_WITHIN_MS = 5_000
/** A socket's path has at most 107 characters on Linux, 103 on macOS; PostgreSQL names it `.s.PGSQL.PORT`. */
const LONGEST_SOCKET_FOLDER = 87

/**
 * Processes of a PostgreSQL that was killed end their statements first; ours take 10 s at most. Until then they use its
 * memory, and no other one starts.
 */
const MEMORY_FREE_WITHIN_MS = 20_000
const TRY_EVERY_MS = 200
const MEMORY_IN_USE = 'pre-existing shared memory block'

type PostgresOptions = {
  readonly folder: string
  readonly port: number
  /** Beside the usual ones, or instead of them. */
  readonly settings?: PostgresSettings
}

/**
 * Rejects when it has ended. Waits for as long as it starts: after a kill it first recovers from its log, which may take minutes and
 * begins anew if it is ended meanwhile. `folder` keeps its data, its password and its log.
 */
export const startEmbeddedPostgres = async (options: PostgresOptions): Promise<EmbeddedPostgres> => {
  const { data, password } = await makePostgresFolder(options.folder)
  const logFile = join(options.folder, 'postgres.log')
  const deadline = performance.now() + MEMORY_FREE_WITHIN_MS
  for (;;) {
    const loggedBefore = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
    try {
      return await startOnce(options, { data, password, logFile })
    } catch (error) {
      if (!saysMemoryInUse(logFile, loggedBefore)) throw error
      if (performance.now() > deadline) {
        throw new Error(
          `processes of a PostgreSQL that was killed in ${data} have not ended within ${MEMORY_FREE_WITHIN_MS / 1_000} s; ` +
            `end them (${logFile} names the shared memory that they use)`,
          { cause: error },
        )
      }
      await pause(TRY_EVERY_MS)
    }
  }
}

/** A log that has become shorter was emptied before the start. */
const saysMemoryInUse = (logFile: string, loggedBefore: number): boolean => {
  if (!existsSync(logFile)) return false
  const log = readFileSync(logFile)
  return log.subarray(log.length < loggedBefore ? 0 : loggedBefore).includes(MEMORY_IN_USE)
}

const startOnce = async (
  { folder, port, settings: changed }: PostgresOptions,
  { data, password, logFile }: PostgresFolder & { readonly logFile: string },
): Promise<EmbeddedPostgres> => {
  const hasSocket = Buffer.byteLength(folder) <= LONGEST_SOCKET_FOLDER && !folder.includes(',')
  await freePostgresFolder(data, hasSocket ? join(folder, `.s.PGSQL.${port}.lock`) : undefined)
  const settings = Object.entries({
    ...postgresSettings(port),
    ...(hasSocket && { unix_socket_directories: folder }),
    ...changed,
  })
  const [command, ...args] = [...unprivileged(), postgresProgram('postgres'), '-D', data]
  const postgres = await spawnBound({
    command,
    args: [...args, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    folder,
    logFile,
    // So it ends its sessions and gives back its shared memory; killed at once, it would do neither.
    lastSignal: 'QUIT',
  })
  const stop = () => stopPostgres(postgres)
  try {
    await untilReady(postgres, () => isReady(data, postgres.pid))
  } catch (error) {
    await stop()
    throw new Error(`PostgreSQL did not start; ${logFile} may say why`, { cause: error })
  }
  return {
    pid: postgres.pid,
    port,
    ownerUrl: postgresOwnerUrl(password, port),
    ...(hasSocket && { socketFolder: folder }),
    ended: postgres.ended,
    stop,
  }
}

export const postgresOwnerUrl = (password: string, port: number): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`

/** PostgreSQL notes there what it is doing, as `pg_ctl --wait` reads it. */
const isReady = (data: string, pid: number): boolean => {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

const stopPostgres = async (postgres: BoundProcess): Promise<void> => {
  // "Fast": it ends sessions and writes a checkpoint. "Immediate" would recover from its log at the next start.
  postgres.signal('SIGINT')
  const late = setTimeout(() => postgres.signal('SIGQUIT'), STOP_WITHIN_MS)
  const tooLate = setTimeout(() => postgres.signal('SIGKILL'), 2 * STOP_WITHIN_MS)
  await postgres.ended
  clearTimeout(late)
  clearTimeout(tooLate)
}
