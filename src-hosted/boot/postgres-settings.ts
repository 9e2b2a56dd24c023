// How a PostgreSQL of one's own is configured.

import { platform, release } from 'node:os'

const HOST = '127.0.0.1'

/** Command line settings by name. */
export type PostgresSettings = Readonly<Record<string, string>>

export const postgresSettings = (port: number): PostgresSettings => ({
  port: String(port),
  listen_addresses: HOST,
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // After a crash, PostgreSQL makes sure that all of its files are on the disk: 1,200, one after another. Linux 5.8 and later
  // also report errors of writes when they flush a whole file system at once.
  ...(flushesAtOnce(platform(), release()) && { recovery_init_sync_method: 'syncfs' }),
  wal_compression: 'pglz',
  // In its folder, so that nothing stays in /dev/shm when the folder is removed after PostgreSQL was killed. Parallel queries,
  // which use it, are as fast with it. Windows has only its own kind.
  ...(platform() !== 'win32' && { dynamic_shared_memory_type: 'mmap' }),
  // Statements of this service are short; compiling one takes longer than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  password_encryption: 'scram-sha-256',
})

/** Whether flushing a whole file system reports what could not be written. */
export const flushesAtOnce = (system: string, version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return system === 'linux' && (major > 5 || (major === 5 && minor >= 8))
}
