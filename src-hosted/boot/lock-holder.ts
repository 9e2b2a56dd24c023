// Who a lock file names: a process that works in a folder, or did before it was killed. Only one service owns the folder, so
// a process of an earlier one is left over; without its shell, nobody ends it.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pause } from '../../src-runtime/shared/pause.ts'
import { signalIfThere } from './spawn-bound.ts'

/** One that was killed a moment ago ends within this time. */
const ENDS_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 20

type LockHolder = { readonly pid: number; readonly is: 'running' | 'other' }

/**
 * The first line of `lock` is the number of a process. `other`: that is now a process that has nothing to do with `folder`, or one that has
 * ended and that nobody has waited for, which some containers never do.
 */
const holderOf = (lock: string, folder: string): LockHolder | undefined => {
  const pid = pidIn(lock)
  const command = pid === undefined ? undefined : commandOf(pid)
  if (pid === undefined || command === undefined) return undefined
  const isOther = (command !== '' && !command.includes(folder)) || isZombie(pid)
  return { pid, is: isOther ? 'other' : 'running' }
}

type Leftover = {
  readonly lock: string
  /** In which it works: named in its arguments. */
  readonly folder: string
  /** What ends it. */
  readonly signal: 'SIGQUIT' | 'SIGKILL'
  /** What it is called in the error. */
  readonly what: string
}

/** Answers who else has the number that is in the lock, if anybody. Rejects when the leftover does not end. */
export const endLeftover = async ({ lock, folder, signal, what }: Leftover): Promise<LockHolder | undefined> => {
  const leftover = await awaitHolder(lock, folder)
  if (leftover?.is !== 'running') return leftover
  signalIfThere(leftover.pid, signal)
  const left = await awaitHolder(lock, folder)
  if (left?.is === 'running') throw new Error(`a ${what} runs in ${folder} already (pid ${left.pid})`)
  return left
}

/** Waits for one that still ends, but no longer than 5 s: `running` then runs on. */
const awaitHolder = async (lock: string, folder: string): Promise<LockHolder | undefined> => {
  const begun = performance.now()
  for (;;) {
    const holder = holderOf(lock, folder)
    if (holder?.is !== 'running' || performance.now() - begun > ENDS_WITHIN_MS) return holder
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
