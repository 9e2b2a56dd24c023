// How a program that refuses to run as root is run by root, without giving its files to somebody else.

import { execFileSync } from 'node:child_process'

/**
 * What stands before the command line: nothing for an ordinary user. For root, a user namespace in which root's files
 * belong to an ordinary user. Throws where the system does not let root make one.
 */
export const unprivileged = (): readonly string[] => {
  if (process.getuid?.() !== 0) return []
  const prefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--']
  const [command = '', ...args] = prefix
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'pipe' })
    return prefix
  } catch (error) {
    throw new Error(
      'PostgreSQL does not run as root, and this system does not let root make a user namespace (unshare --user): ' +
        'start this as an ordinary user, or name a PostgreSQL of your own with --database-url',
      { cause: error },
    )
  }
}
