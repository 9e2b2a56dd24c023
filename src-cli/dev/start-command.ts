// How the user runs `wes`, and the command that starts this runtime again.

import { shellWord } from '../shell-word.ts'

export type StartCommand = { readonly cli: string; readonly start: string }

type Started = {
  /** The script that Node runs, as given to it. */
  readonly script: string
  readonly port: number
  /** Undefined for the platform's. */
  readonly dataDir: string | undefined
  readonly project: string
  readonly asksForToken: boolean
  readonly watch: boolean
  readonly effects: boolean
}

const cliOf = (script: string): string => {
  const path = script.replaceAll('\\', '/')
  if (path.endsWith('/src-cli/wes.mjs') && !path.includes('/node_modules/')) return 'npm run -s wes --'
  return path.includes('/node_modules/') ? 'npx wes' : 'wes'
}

/** Paths are absolute, so that the command works in any folder. */
export const startCommand = (started: Started): StartCommand => {
  const { script, port, dataDir, project, asksForToken, watch, effects } = started
  const cli = cliOf(script)
  const flags = [
    `--port ${port}`,
    ...(dataDir === undefined ? [] : [`--data-dir ${shellWord(dataDir)}`]),
    `--project ${shellWord(project)}`,
    ...(asksForToken ? ['--token'] : []),
    ...(watch ? [] : ['--no-watch']),
    ...(effects ? [] : ['--no-effects']),
  ]
  return { cli, start: [cli, 'dev', ...flags].join(' ') }
}
