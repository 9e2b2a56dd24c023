// The lock files that a killed PostgreSQL leaves: of its data, and of its socket. PostgreSQL does not start while any process, even a
// zombie, has the number that is in one of them; after a restart of a container, most numbers are taken again.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { awaitHolder } from './lock-holder.ts'

/** `socketLock`: of its Unix socket, if it has one. Rejects when a PostgreSQL runs in that folder, and goes on running. */
export const freePostgresFolder = async (data: string, socketLock?: string): Promise<void> => {
  await freeLock(join(data, 'postmaster.pid'), data)
  if (socketLock !== undefined) await freeLock(socketLock, data)
}

const freeLock = async (lock: string, data: string): Promise<void> => {
  const holder = await awaitHolder(lock, data)
  if (holder === undefined) return // PostgreSQL itself finds out, and checks more
  if (holder.is === 'running') throw new Error(`a PostgreSQL runs in ${data} already (pid ${holder.pid})`)
  // Of one whose child processes still run, PostgreSQL itself finds them.
  rmSync(lock, { force: true })
}
