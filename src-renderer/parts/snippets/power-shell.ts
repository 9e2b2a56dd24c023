// Snippets for PowerShell, the shell of Windows. Some versions have another command named `curl`, and lose the quotes within an
// argument.

import { stringifyExactJson } from '../../exact-json.ts'
import { type SnippetRequest, type SnippetTarget, TOKEN_PLACEHOLDER } from './request.ts'
import { wesCommand } from './shell.ts'

export const isWindows = navigator.userAgent.includes('Windows')

/** Any text as one string. Typographic quotes end a string, too. */
export const powerShellString = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`

/** The environment of commands that talk to a hosted service. */
const environment = ({ url, needsToken }: SnippetTarget): readonly string[] =>
  needsToken
    ? [
        `$env:SERVICE_API_BASE_URL = ${powerShellString(url)}`,
        `$env:SERVICE_TOKEN = ${powerShellString(TOKEN_PLACEHOLDER)}`,
      ]
    : []

/** Deploys the Programs of the folder in which it runs. */
export const powerShellDeploy = (target: SnippetTarget): string =>
  [...environment(target), wesCommand(target, 'deploy')].join('; ')

export const powerShellSnippet = (request: SnippetRequest, target: SnippetTarget): string => {
  const { url, projectId, needsToken } = target
  const before = environment(target)
    .map((line) => `${line}\n`)
    .join('')
  const address = (path: string) =>
    needsToken ? `($env:SERVICE_API_BASE_URL + ${powerShellString(path)})` : powerShellString(url + path)
  const headers = (more: readonly string[] = []): readonly string[] => {
    const all = [
      ...(needsToken ? ['Authorization = "Bearer $env:SERVICE_TOKEN"'] : []),
      ...(projectId === undefined ? [] : [`'X-Service-Project-Id' = ${powerShellString(projectId)}`]),
      ...more,
    ]
    return all.length === 0 ? [] : [`-Headers @{ ${all.join('; ')} }`]
  }
  const post = (path: string, body: unknown, more?: readonly string[]) =>
    before +
    lines([
      `Invoke-RestMethod -Method Post ${address(path)}`,
      ...headers(more),
      // Without it, Windows' own version sends no UTF-8.
      `-ContentType 'application/json; charset=utf-8'`,
      `-Body ${powerShellString(stringifyExactJson(body))}`,
    ])
  switch (request.kind) {
    case 'start': {
      const { programId, version, input, idempotencyKey } = request
      const key = idempotencyKey === undefined ? [] : [`'Idempotency-Key' = ${powerShellString(idempotencyKey)}`]
      return post('/v1/executions', { programId, version, input }, key)
    }
    case 'read': {
      const path = `/v1/executions/${encodeURIComponent(request.executionId)}`
      return before + lines([`Invoke-RestMethod ${address(path)}`, ...headers()])
    }
    case 'send-event': {
      const { executionId, name, payload } = request
      return post(`/v1/executions/${encodeURIComponent(executionId)}/events`, { name, payload })
    }
  }
}

const lines = (parts: readonly string[]): string => parts.join(' `\n  ')
