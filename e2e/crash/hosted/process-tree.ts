// Processes of Linux, as /proc shows them.

import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, which is the same on every Linux that Node supports. */
export const TICK_MS = 10

type Stat = { readonly parent: number; readonly cpuMs: number }

/** The name, which may contain anything, is in parentheses. */
const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
  } catch {
    return undefined // it has ended
  }
}

/** The process and everything that it started. */
export const processTree = (root: number): readonly number[] => {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = pid > 0 ? statOf(pid) : undefined
    if (stat !== undefined) parents.set(pid, stat.parent)
  }
  const found = [root]
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child)
  return found
}

/** Processor time of each of these processes so far. */
export const cpuMsOf = (pids: readonly number[]): ReadonlyMap<number, number> =>
  new Map(pids.flatMap((pid) => [[pid, statOf(pid)?.cpuMs ?? 0] as const]))

/** What they used since; a process that has ended meanwhile does not count. */
export const cpuMsSince = (before: ReadonlyMap<number, number>, pids: readonly number[]): number => {
  let sum = 0
  for (const [pid, ms] of cpuMsOf(pids)) sum += ms - (before.get(pid) ?? 0)
  return sum
}

export type PausedProcesses = { resume(): void }

export const pause = (pids: readonly number[]): PausedProcesses => {
  const signal = (pid: number, which: 'SIGSTOP' | 'SIGCONT'): void => {
    try {
      process.kill(pid, which)
    } catch {
      // It has ended.
    }
  }
  for (const pid of pids) signal(pid, 'SIGSTOP')
  return {
    resume: () => {
      for (const pid of pids.toReversed()) signal(pid, 'SIGCONT')
    },
  }
}
