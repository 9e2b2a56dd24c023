// Starts the app at login. Electron does it on macOS and Windows; Linux desktops read a folder.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoginItemSettings } from 'electron'
import { flushFile } from '../../src-runtime/shared/flush-file.ts'
import { replaceFile } from '../../src-runtime/shared/replace-file.ts'

export const autostartFile = (configHome: string): string =>
  join(configHome, 'autostart', 'workflow-execution-service.desktop')

/** For Linux. `command`: the program and its arguments. */
export const setAutostart = (file: string, command: readonly string[] | undefined): void => {
  if (command === undefined) return rmSync(file, { force: true })
  mkdirSync(join(file, '..'), { recursive: true })
  const draft = `${file}.draft`
  try {
    writeFileSync(draft, autostartEntry(command))
    flushFile(draft)
    replaceFile(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** For Linux. Desktops turn an entry off by a line in it, or remove it. */
export const isAutostarted = (file: string): boolean => {
  const text = readEntry(file)
  return text !== undefined && !/^\s*(?:Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/im.test(text)
}

/** For Linux: an entry that is on starts this program from now on. */
export const renewAutostart = (file: string, command: readonly string[]): void => {
  if (isAutostarted(file) && readEntry(file)?.includes(`\n${startLine(command)}\n`) === false)
    setAutostart(file, command)
}

const readEntry = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** For Windows: what Electron looks for in the registry. It takes a path without quotes only up to its first space. */
export const quotedOnWindows = (path: string, platform: NodeJS.Platform): string =>
  platform === 'win32' ? `"${path}"` : path

/** For macOS and Windows, whose list of startup apps may turn one off that is set to start. */
export const willOpen = (
  { openAtLogin, executableWillLaunchAtLogin }: Pick<LoginItemSettings, 'openAtLogin' | 'executableWillLaunchAtLogin'>,
  platform: NodeJS.Platform,
): boolean => openAtLogin && (platform !== 'win32' || executableWillLaunchAtLogin)

const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Workflow Execution Service',
    startLine(command),
    'Terminal=false',
    '',
  ].join('\n')

const startLine = (command: readonly string[]): string => `Exec=${command.map(quoted).join(' ')}`

/** As the desktop entry specification requires: quoted, escaped twice, and without field codes. */
const quoted = (argument: string): string =>
  `"${argument
    .replaceAll(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
