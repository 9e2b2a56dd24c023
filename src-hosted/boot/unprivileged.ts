// How a program that refuses to run as root, or as a user without a name, is run all the same, without giving its files to
// somebody else.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/**
 * What stands before the command line: nothing for an ordinary user. For root, and in a container for a user whom nobody
 * entered in `/etc/passwd`, a user namespace in which their files belong to an ordinary user. Throws where the system does
 * not let them make one.
 */
export const unprivileged = (): readonly string[] => {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return []
  const { uid, gid } = ordinaryUser(readFileSync('/etc/passwd', 'utf8'))
  const prefix = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  const [command = '', ...args] = prefix
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'pipe' })
    return prefix
  } catch (error) {
    throw new Error(
      `PostgreSQL does not run as ${isRoot ? 'root' : 'a user who is not in /etc/passwd'}, and this system does not let it make a user namespace ` +
        '(unshare --user): start this as an ordinary user, or name a PostgreSQL of your own with --database-url',
      { cause: error },
    )
  }
}

const hasName = (): boolean => {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** One who has a name, but is not root: `nobody`, or else the last one. PostgreSQL looks the name up. */
export const ordinaryUser = (passwd: string): { readonly uid: number; readonly gid: number } => {
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid >= 0)
  const { uid, gid } = users.find(({ name }) => name === 'nobody') ?? users.at(-1) ?? { uid: 1000, gid: 1000 }
  return { uid, gid }
}
