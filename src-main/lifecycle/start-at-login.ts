// Starts the app at login. Electron does it on macOS and Windows; Linux desktops read a folder.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const autostartFile = (configHome: string): string =>
  join(configHome, 'autostart', 'workflow-execution-service.desktop')

/** For Linux. `command`: the program and its arguments. */
export const setAutostart = (file: string, command: readonly string[] | undefined): void => {
  if (command === undefined) return rmSync(file, { force: true })
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, autostartEntry(command))
}

const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Workflow Execution Service',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    '',
  ].join('\n')

/** As the desktop entry specification requires: quoted, escaped twice, and without field codes. */
const quoted = (argument: string): string =>
  `"${argument
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
