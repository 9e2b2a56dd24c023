// Finds what outlives an app. Processes that it started inherit its environment, unless it takes care that they do not;
// those are known by whose children they were.

import { readdirSync, readFileSync } from 'node:fs'

export type Leftover = {
  readonly pid: number
  readonly command: string
  /** With the pid it names a process for good. */
  readonly startedAt: string
}

/** Living processes that have `mark` in their environment. Linux tells; elsewhere none is found. */
export const processesMarked = (mark: string): readonly Leftover[] =>
  allPids()
    .filter((pid) => pid !== process.pid && read(pid, 'environ').includes(mark))
    .map(describe)

/** The living children of a process, and theirs. */
export const descendantsOf = (ancestor: number): readonly Leftover[] => {
  const all = allPids().map((pid) => ({ pid, parent: Number(statOf(pid)[1]) }))
  const below = (parent: number): readonly number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)])
  return below(ancestor).map(describe)
}

/** Those that live on. A zombie has ended; it is just that nobody has asked how. */
export const stillAlive = (known: readonly Leftover[]): readonly Leftover[] =>
  known.filter(({ pid, startedAt }) => {
    const [state, , ...rest] = statOf(pid)
    return state !== undefined && state !== 'Z' && startTime(rest) === startedAt
  })

const describe = (pid: number): Leftover => {
  const [, , ...rest] = statOf(pid)
  return { pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 1_000), startedAt: startTime(rest) }
}

const allPids = (): readonly number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : []

/** State, parent, and so on: what follows the name, which may have anything in it. */
const statOf = (pid: number): readonly string[] => {
  const stat = read(pid, 'stat')
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Field 22 of the whole line. */
const startTime = (afterParent: readonly string[]): string => afterParent[17] ?? ''

/** Empty for one that has just ended, or that belongs to somebody else. */
const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
