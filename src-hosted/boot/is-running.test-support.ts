import { readFileSync } from 'node:fs'

/** False also for a zombie: it has ended, and only its parent has not noticed. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
