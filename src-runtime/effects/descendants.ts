// Kills the processes that a process has started, and those that these have started, on Linux and macOS. They are looked up
// before it is killed, because the system gives them another parent when it ends. It is stopped first, so that it starts no more.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

type Process = { readonly pid: number; readonly parent: number }

const LIMIT_MS = 2_000

/** Kills all processes below this one at once, and leaves it alone. */
export const killDescendants = (ancestor: number): void => {
  for (const pid of descendantsOf(ancestor)) signal(pid, 'SIGKILL')
}

/** Kills it and all processes below it at once. */
export const killTree = (root: number): void => {
  if (!signal(root, 'SIGSTOP')) return
  killDescendants(root)
  signal(root, 'SIGKILL')
}

const descendantsOf = (ancestor: number): readonly number[] => {
  const children = Map.groupBy(allProcesses(), ({ parent }) => parent)
  const below = (pid: number): readonly number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(ancestor)
}

const allProcesses = (): readonly Process[] => {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs()
  } catch {
    return []
  }
}

const fromProc = (): readonly Process[] =>
  readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined
    return parent === undefined ? [] : [{ pid: Number(name), parent }]
  })

/** `undefined`: it has just ended. */
const parentOf = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before it is in brackets, and may hold any characters.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

const fromPs = (): readonly Process[] =>
  execFileSync('/bin/ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: LIMIT_MS })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => ({ pid, parent }))

const signal = (pid: number, which: 'SIGSTOP' | 'SIGKILL'): boolean => {
  try {
    return process.kill(pid, which)
  } catch {
    return false
  }
}
