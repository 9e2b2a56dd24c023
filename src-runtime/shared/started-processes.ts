// Kills the processes that a process has started, and those that these have started, on Linux and macOS. The system knows of
// which process each is a child, but gives it another parent when that one ends. So effect hosts also have a mark in their
// environment, which what they start inherits. A process is stopped before they are looked up, so that it starts no more.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Its value is the id of a run of the runtime, a dot, and the id of an effect host. */
export const MARK = 'WES_EFFECT_HOST'

type Process = { readonly pid: number; readonly parent: number; readonly isMarked: boolean }

const LIMIT_MS = 2_000
const LIMIT_BYTES = 64 * 1024 * 1024
/** A process may start another one after that was looked for. */
const ROUNDS = 4

/** Kills all processes below this one at once, and those whose mark begins so, but neither it nor this process. */
export const killStartedBy = (ancestor: number, mark: string): void => {
  const killed = new Set<number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = startedBy(ancestor, mark).filter((pid) => !killed.has(pid))
    if (found.length === 0) return
    for (const pid of found) {
      signal(pid, 'SIGKILL')
      killed.add(pid)
    }
  }
}

/** Kills it and all that it has started at once. */
export const killTree = (root: number, mark: string): void => {
  if (!signal(root, 'SIGSTOP')) return
  killStartedBy(root, mark)
  signal(root, 'SIGKILL')
}

/** Kills what effects have started in a run of a runtime that was killed, unless they have started this process, too. */
export const killLeftBy = (run: string): void => {
  const mark = `${run}.`
  if (process.env[MARK]?.startsWith(mark) !== true) killMarked(mark)
}

/** Kills all processes whose mark begins so, and those below them, at once. */
export const killMarked = (mark: string): void => {
  if (process.platform !== 'win32') killStartedBy(NOBODY, mark)
}

/** No process has this number. */
const NOBODY = -1

const startedBy = (ancestor: number, mark: string): readonly number[] => {
  const all = allProcesses(mark)
  const children = Map.groupBy(all, ({ parent }) => parent)
  const found = new Set<number>()
  const add = (pid: number): void => {
    if (found.has(pid) || pid === ancestor || pid === process.pid) return
    found.add(pid)
    addBelow(pid)
  }
  const addBelow = (pid: number): void => {
    for (const child of children.get(pid) ?? []) add(child.pid)
  }
  addBelow(ancestor)
  for (const { pid, isMarked } of all) if (isMarked) add(pid)
  return [...found]
}

const allProcesses = (mark: string): readonly Process[] => {
  try {
    return process.platform === 'linux' ? fromProc(`${MARK}=${mark}`) : fromPs(`${MARK}=${mark}`)
  } catch {
    return []
  }
}

const fromProc = (entry: string): readonly Process[] =>
  readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined
    return parent === undefined ? [] : [{ pid: Number(name), parent, isMarked: hasEntry(name, entry) }]
  })

/** `undefined`: it has ended. */
const parentOf = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before them is in brackets, and may hold any characters.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : Number(parent)
  } catch {
    return undefined
  }
}

const hasEntry = (pid: string, entry: string): boolean => {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${entry}`)
  } catch {
    // It is another user's.
    return false
  }
}

/** macOS prints the environment of most processes of the same user behind their commands. */
const fromPs = (entry: string): readonly Process[] => {
  const environment = process.platform === 'darwin' ? ['-E', '-ww'] : []
  const options = { encoding: 'utf8', timeout: LIMIT_MS, maxBuffer: LIMIT_BYTES } as const
  const text = execFileSync('/bin/ps', ['-A', ...environment, '-o', 'pid=,ppid=,command='], options)
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/, 2).map(Number)
      return { pid: pid ?? 0, parent: parent ?? 0, isMarked: line.includes(` ${entry}`) }
    })
}

const signal = (pid: number, which: 'SIGSTOP' | 'SIGKILL'): boolean => {
  try {
    return process.kill(pid, which)
  } catch {
    return false
  }
}
