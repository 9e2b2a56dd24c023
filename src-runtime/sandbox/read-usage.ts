// Reads another process's resource usage, where the system offers a cheap way.

import { readFileSync } from 'node:fs'

export type Usage = {
  readonly rssBytes: number
  /** CPU time since its start. */
  readonly cpuMs: number
}

const PAGE_BYTES = 4096
/** Linux reports CPU time in hundredths of a second, whatever the kernel's tick rate. */
const CPU_TICK_MS = 10

/** `undefined` where it cannot be read, or the process is gone. */
export const readUsage = (pid: number): Usage | undefined => {
  if (process.platform !== 'linux') return undefined
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name, in parentheses, may contain anything. The fields after it begin with field 3.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const field = (number: number): number => Number(fields[number - 3])
    return { cpuMs: (field(14) + field(15)) * CPU_TICK_MS, rssBytes: field(24) * PAGE_BYTES }
  } catch {
    return undefined
  }
}
