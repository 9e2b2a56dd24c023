// The lock files that a killed PostgreSQL leaves: of its data, and of its socket. PostgreSQL does not start while any process, even a
// zombie, has the number that is in one of them; after a restart of a container, most numbers are taken again.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../../src-runtime/shared/pause.ts'

/** One that was killed a moment ago ends within this time. */
const ENDS_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 20

/** `socketLock`: of its Unix socket, if it has one. Rejects when a PostgreSQL runs in that folder, and goes on running. */
export const freePostgresFolder = async (data: string, socketLock?: string): Promise<void> => {
  await freeLock(join(data, 'postmaster.pid'), data)
  if (socketLock !== undefined) await freeLock(socketLock, data)
}

const freeLock = async (lock: string, data: string): Promise<void> => {
  const begun = performance.now()
  for (;;) {
    const pid = pidIn(lock)
    if (pid === undefined) return
    const command = commandOf(pid)
    if (command === undefined) return // PostgreSQL itself finds out, and checks more
    // Nobody has waited for it yet, which some containers never do. PostgreSQL itself finds child processes that still run.
    const isOther = command !== '' && !command.includes(data)
    if (isOther || isZombie(pid)) return rmSync(lock, { force: true })
    if (performance.now() - begun > ENDS_WITHIN_MS) throw new Error(`a PostgreSQL runs in ${data} already (pid ${pid})`)
    await pause(LOOK_EVERY_MS)
  }
}

const pidIn = (lock: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** Its files are closed and its memory is free. */
const isZombie = (pid: number): boolean => {
  try {
    if (process.platform !== 'linux') return false
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** `undefined`: there is no such process. It is empty on Linux while a process ends, and when it is a zombie. */
const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}
