// Child processes of the runtime in the user's own Node.

import { spawn } from 'node:child_process'
import type { Fork } from '../../src-runtime/shared/fork.ts'

/** `spawn`, because Electron's `fork` sets a variable that breaks any Electron app that an effect starts. */
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
