import { execFileSync } from 'node:child_process'

/** In a constant, because mkfifo belongs to the system, not to a package. */
const MAKE_PIPE = 'mkfifo'

/** Not on Windows. */
export const makePipe = (path: string): void => void execFileSync(MAKE_PIPE, [path])
