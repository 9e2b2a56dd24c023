// Finds processes that outlive an app: those that inherited its environment, and its other children.

import { readdirSync, readFileSync } from 'node:fs'

export type Leftover = {
  readonly pid: number
  readonly command: string
  /** Identifies a process together with the pid. */
  readonly startedAt: string
}

/** Running processes with `mark` in their environment. On Linux only; empty elsewhere. */
export const processesMarked = (mark: string): readonly Leftover[] =>
  allPids()
    .filter((pid) => pid !== process.pid && read(pid, 'environ').includes(mark))
    .map(describe)

/** The running descendants of a process. */
export const descendantsOf = (ancestor: number): readonly Leftover[] => {
  const all = allPids().map((pid) => ({ pid, parent: Number(statOf(pid)[1]) }))
  const below = (parent: number): readonly number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)])
  return below(ancestor).map(describe)
}

/** Those that still run. A zombie has ended, but its parent has not read its status. */
export const stillAlive = (known: readonly Leftover[]): readonly Leftover[] =>
  known.filter(({ pid, startedAt }) => {
    const [state, , ...rest] = statOf(pid)
    return state !== undefined && state !== 'Z' && startTime(rest) === startedAt
  })

const describe = (pid: number): Leftover => {
  const [, , ...rest] = statOf(pid)
  return { pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 4_000), startedAt: startTime(rest) }
}

const allPids = (): readonly number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : []

/** State, parent, and so on: the fields after the name, which may contain any characters. */
const statOf = (pid: number): readonly string[] => {
  const stat = read(pid, 'stat')
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Field 22 of the whole line. */
const startTime = (afterParent: readonly string[]): string => afterParent[17] ?? ''

/** Empty for a process that has just ended, or of another user. */
const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
