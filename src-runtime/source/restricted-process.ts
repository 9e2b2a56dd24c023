// How a process is started that runs code of a project without rights. It restricts itself further: see `restrict-process`.

import type { ForkOptions } from 'node:child_process'

/** `readable`: files and folders. `flags`: more of Node's. */
export const restrictedProcess = (readable: readonly string[], flags: readonly string[] = []): ForkOptions => ({
  execArgv: [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...flags,
    '--no-addons',
    '--no-warnings',
  ],
  env: { TZ: 'UTC' },
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  windowsHide: true,
})
