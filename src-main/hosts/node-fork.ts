// Child processes of the runtime in the user's own Node.

import { spawn } from 'node:child_process'
import type { Fork } from '../../src-runtime/shared/fork.ts'

/** `spawn`, because Electron makes `fork` set a variable that every Electron app an effect starts would stumble over. */
export const nodeForkAt = (node: string, unpacked: (file: string) => string): Fork => ({
  makesGroups: process.platform !== 'win32',
  takesPermissions: true,
  start: (file, args, { execArgv = [], stdio, ...options }) =>
    // `--allow-fs-read=` names files, too.
    spawn(node, [...execArgv.map(unpacked), unpacked(file), ...args], {
      ...options,
      stdio: stdio ?? ['ignore', 'ignore', 'ignore', 'ipc'],
    }),
})
