// What another process uses, as far as the system tells without much ado.

import { readFileSync } from 'node:fs'

export type Usage = {
  readonly rssBytes: number
  /** CPU since its start. */
  readonly cpuMs: number
}

const PAGE_BYTES = 4096
/** Linux counts CPU in hundredths of a second, whatever the kernel's own clock is. */
const CPU_TICK_MS = 10

/** `undefined` where it cannot be read, or the process is gone. */
export const readUsage = (pid: number): Usage | undefined => {
  if (process.platform !== 'linux') return undefined
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything; what follows is numbers. The first of them is field 3.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const field = (number: number): number => Number(fields[number - 3])
    return { cpuMs: (field(14) + field(15)) * CPU_TICK_MS, rssBytes: field(24) * PAGE_BYTES }
  } catch {
    return undefined
  }
}
