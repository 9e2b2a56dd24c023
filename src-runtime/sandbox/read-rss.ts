// How much memory another process uses, as far as the system tells without much ado.

import { readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Bytes; `undefined` where it cannot be read, or the process is gone. */
export const readRssBytes = (pid: number): number | undefined => {
  if (process.platform !== 'linux') return undefined
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1])
    return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined
  } catch {
    return undefined
  }
}
