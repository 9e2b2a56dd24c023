// The contents of a bug report, without secrets and without the user's name.

import type { About, DesktopSettings, RuntimeState } from '../preload/desktop-api.ts'
import { redact } from '../logs/redact.ts'

export type DiagnosticFacts = {
  readonly about: About
  readonly settings: DesktopSettings
  readonly state: RuntimeState
  readonly logLines: readonly string[]
  readonly home: string
}

export const diagnosticsText = ({ about, settings, state, logLines, home }: DiagnosticFacts): string => {
  const { logLines: _, ...shown } = state.kind === 'crashed' ? state : { ...state, logLines: [] }
  const parts = [
    `Workflow Execution Service ${about.version}`,
    ...Object.entries(about).map(([name, value]) => `${name}: ${value}`),
    '',
    `runtime: ${JSON.stringify(shown)}`,
    `settings: ${JSON.stringify(settings)}`,
    '',
    'log:',
    ...logLines,
  ]
  const text = redact(parts.join('\n'))
  // A home of `/` would match every slash.
  return home.length < 2 ? text : text.replaceAll(home, '~')
}
