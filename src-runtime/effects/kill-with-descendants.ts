// Kills a process that leads no process group, with the processes that it has started.

import { execFile } from 'node:child_process'

type Run = (program: string, args: readonly string[], options: object, onEnd: () => void) => unknown

const LIMIT_MS = 2_000

/** Windows knows who started whom, as long as the process lives. Elsewhere its descendants go on. */
export const killWithDescendants = (
  child: { readonly pid?: number | undefined; kill(signal: 'SIGKILL'): unknown },
  { platform, run }: { readonly platform: NodeJS.Platform; readonly run: Run } = {
    platform: process.platform,
    run: execFile,
  },
): void => {
  if (platform !== 'win32' || child.pid === undefined) return void child.kill('SIGKILL')
  const options = { timeout: LIMIT_MS, windowsHide: true }
  // Without effect if the process has been killed with them.
  run('taskkill', ['/PID', String(child.pid), '/T', '/F'], options, () => child.kill('SIGKILL'))
}
