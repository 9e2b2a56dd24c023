// The lock files that a killed PostgreSQL leaves: of its data, and of its socket. PostgreSQL does not start while any process, even a
// zombie, has the number that is in one of them; after a restart of a container, most numbers are taken again.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { endLeftover } from './lock-holder.ts'

/** `socketLock`: of its Unix socket, if it has one. Ends a PostgreSQL that is left over in that folder; rejects when it goes on running. */
export const freePostgresFolder = async (data: string, socketLock?: string): Promise<void> => {
  await freeLock(join(data, 'postmaster.pid'), data)
  if (socketLock !== undefined) await freeLock(socketLock, data)
}

const freeLock = async (lock: string, data: string): Promise<void> => {
  const holder = await endLeftover({ lock, folder: data, signal: 'SIGQUIT', what: 'PostgreSQL' })
  if (holder === undefined) return // PostgreSQL itself finds out, and checks more
  // Of one whose child processes still run, PostgreSQL itself finds them.
  rmSync(lock, { force: true })
}
