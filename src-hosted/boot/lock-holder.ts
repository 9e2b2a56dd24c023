// Who a lock file names: a process that works in a folder, or did before it was killed.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * The first line of `lock` is the number of a process. `other`: that is now a process that has nothing to do with `folder`, or one that has
 * ended and that nobody has waited for, which some containers never do.
 */
export const holderOf = (
  lock: string,
  folder: string,
): { readonly pid: number; readonly is: 'running' | 'other' } | undefined => {
  const pid = pidIn(lock)
  const command = pid === undefined ? undefined : commandOf(pid)
  if (pid === undefined || command === undefined) return undefined
  const isOther = (command !== '' && !command.includes(folder)) || isZombie(pid)
  return { pid, is: isOther ? 'other' : 'running' }
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
