// Finds what outlives an app: processes inherit its environment, so one that carries its mark was started by it.

import { readdirSync, readFileSync } from 'node:fs'

export type Leftover = { readonly pid: number; readonly command: string }

/** Living processes that have `mark` in their environment. Linux tells; elsewhere none is found. */
export const processesMarked = (mark: string): readonly Leftover[] => {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'environ').includes(mark))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 1_000) }))
}

/** Empty for one that has just ended, or that belongs to somebody else. */
const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
