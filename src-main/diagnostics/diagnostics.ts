// The contents of a bug report, without secrets and without the user's name.

import type { About, DesktopSettings, RuntimeState } from '../preload/desktop-api.ts'
import { redact } from '../logs/redact.ts'

/** `host`: of its address. `token`: where it is kept. */
export type DiagnosticConnection = { readonly name: string; readonly host: string; readonly token: string }

export type DiagnosticFacts = {
  readonly about: About
  readonly settings: DesktopSettings
  readonly state: RuntimeState
  readonly connections: readonly DiagnosticConnection[]
  readonly logLines: readonly string[]
  readonly home: string
}

export const diagnosticsText = ({ about, settings, state, connections, logLines, home }: DiagnosticFacts): string => {
  const { logLines: _, ...shown } = state.kind === 'crashed' ? state : { ...state, logLines: [] }
  const parts = [
    `Workflow Execution Service ${about.version}`,
    ...Object.entries(about).map(([name, value]) => `${name}: ${value}`),
    '',
    `runtime: ${JSON.stringify(shown)}`,
    `settings: ${JSON.stringify(settings)}`,
    ...connections.map(({ name, host, token }) => `connection ${JSON.stringify(name)}: ${host}, its token: ${token}`),
    '',
    'log:',
    ...logLines,
  ]
  const text = redact(parts.join('\n'))
  // A home of `/` would match every slash.
  return home.length < 2 ? text : spellingsOf(home).reduce((left, path) => left.replaceAll(path, '~'), text)
}

/** JSON doubles the backslashes of Windows, and URLs have slashes in their place. */
const spellingsOf = (home: string): readonly string[] => [
  home,
  home.replaceAll('\\', '\\\\'),
  home.replaceAll('\\', '/'),
]
