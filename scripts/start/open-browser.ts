// Opens a URL in the user's browser. Ignores failures, because the URL is printed too.

import { spawn } from 'node:child_process'
import { hasDisplay, isCi } from './choose-home.ts'

type Surroundings = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
}

type Command = { readonly command: string; readonly args: readonly string[] }

/** Undefined without a user at a screen: no terminal, CI, or a machine without a display. */
export const openCommand = (url: string, { platform, env, isTerminal }: Surroundings): Command | undefined => {
  if (!isTerminal || isCi(env)) return undefined
  if (platform === 'darwin') return { command: 'open', args: [url] }
  if (platform === 'win32') return { command: 'explorer.exe', args: [url] }
  if (env['WSL_DISTRO_NAME']) return { command: 'explorer.exe', args: [url] }
  // Without a display, xdg-open would start a text browser in this terminal.
  return hasDisplay(env) ? { command: 'xdg-open', args: [url] } : undefined
}

export const openBrowser = ({ command, args }: Command): void => {
  const child = spawn(command, args, { detached: true, stdio: 'ignore' })
  child.on('error', () => {}) // the program does not exist
  child.unref()
}
