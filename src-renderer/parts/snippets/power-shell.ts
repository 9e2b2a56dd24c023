// A start for PowerShell, the shell of Windows. Some versions have another command named `curl`, and lose the quotes within an
// argument.

import { stringifyExactJson } from '../../exact-json.ts'
import type { SnippetRequest, SnippetTarget } from './request.ts'

/** Any text as one string. Typographic quotes end a string, too. */
export const powerShellString = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`

/** Of the local runtime, which needs no token. */
export const powerShellStart = (
  { programId, input }: Pick<Extract<SnippetRequest, { kind: 'start' }>, 'programId' | 'input'>,
  { url, projectId }: Pick<SnippetTarget, 'url' | 'projectId'>,
): string =>
  [
    `Invoke-RestMethod -Method Post ${powerShellString(`${url}/v1/executions`)}`,
    ...(projectId === undefined ? [] : [`-Headers @{ 'X-Service-Project-Id' = ${powerShellString(projectId)} }`]),
    // Without it, Windows' own version sends no UTF-8.
    `-ContentType 'application/json; charset=utf-8'`,
    `-Body ${powerShellString(stringifyExactJson({ programId, input }))}`,
  ].join(' `\n  ')
