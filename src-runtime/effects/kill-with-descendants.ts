// Kills an effect host with the processes that it has started, whichever process groups they are in.

import { execFile } from 'node:child_process'
import { killTree } from '../shared/started-processes.ts'

type Run = (program: string, args: readonly string[], options: object, onEnd: () => void) => unknown

const LIMIT_MS = 2_000

export const killWithDescendants = (
  child: { readonly pid?: number | undefined; kill(signal: 'SIGKILL'): unknown },
  mark: string,
  { platform, run }: { readonly platform: NodeJS.Platform; readonly run: Run } = {
    platform: process.platform,
    run: execFile,
  },
): void => {
  const kill = (): void => void child.kill('SIGKILL')
  if (child.pid === undefined) return kill()
  if (platform === 'win32') {
    const options = { timeout: LIMIT_MS, windowsHide: true }
    try {
      // Without effect if the process has been killed with them.
      run('taskkill', ['/PID', String(child.pid), '/T', '/F'], options, kill)
    } catch {
      // The system starts no process, and Node throws some of its errors.
      kill()
    }
    return
  }
  killTree(child.pid, mark)
  kill()
}
