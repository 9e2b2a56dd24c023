// The lock files that a killed PostgreSQL leaves: of its data, and of its socket. PostgreSQL does not start while any process, even a
// zombie, has the number that is in one of them; after a restart of a container, most numbers are taken again.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** One that was killed a moment ago ends within this time. */
const ENDS_WITHIN_MS = 5_000
/** Its parent has not waited for it yet. By then, its child processes have ended too; PostgreSQL checks that by itself. */
const ZOMBIE_MS = 1_000
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
    const waitedMs = performance.now() - begun
    const isZombie = command === ''
    const isOther = !isZombie && !command.includes(data)
    if (isOther || (isZombie && waitedMs > ZOMBIE_MS)) return rmSync(lock, { force: true })
    if (waitedMs > ENDS_WITHIN_MS) throw new Error(`a PostgreSQL runs in ${data} already (pid ${pid})`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
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

/** `undefined`: there is no such process. Of a zombie it is empty on Linux. */
const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}
