// Snippets for a POSIX shell: curl and the command line tool.

import { stringifyExactJson } from '../../exact-json.ts'
import { DEFAULT_URL, type SnippetRequest, type SnippetTarget } from './request.ts'

/** Quotes any text as one shell word. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const lines = (words: readonly string[]): string => words.join(' \\\n  ')

export const curlSnippet = (request: SnippetRequest, { url, projectId, needsToken }: SnippetTarget): string => {
  const headers = [
    // Double quotes, because the shell inserts the token.
    ...(needsToken ? ['-H "Authorization: Bearer $SERVICE_TOKEN"'] : []),
    ...(projectId === undefined ? [] : [`-H ${shellWord(`X-Service-Project-Id: ${projectId}`)}`]),
  ]
  const post = (path: string, body: unknown, more: readonly string[] = []) =>
    lines([
      `curl -sS ${shellWord(url + path)}`,
      ...headers,
      ...more,
      `-H 'Content-Type: application/json'`,
      `--data-raw ${quoted(stringifyExactJson(body))}`,
    ])
  switch (request.kind) {
    case 'start': {
      const { programId, version, input, idempotencyKey } = request
      const key = idempotencyKey === undefined ? [] : [`-H ${shellWord(`Idempotency-Key: ${idempotencyKey}`)}`]
      return post('/v1/executions', { programId, version, input }, key)
    }
    case 'read':
      return lines([
        `curl -sS ${shellWord(`${url}/v1/executions/${encodeURIComponent(request.executionId)}`)}`,
        ...headers,
      ])
    case 'send-event': {
      const { executionId, name, payload } = request
      return post(`/v1/executions/${encodeURIComponent(executionId)}/events`, { name, payload })
    }
  }
}

/** Always quoted, because JSON is easier to read that way. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const cliSnippet = (request: SnippetRequest, { url, projectId, cli = 'wes' }: SnippetTarget): string => {
  const flags = [
    ...(url === DEFAULT_URL ? [] : [`--url ${shellWord(url)}`]),
    ...(projectId === undefined ? [] : [`--project-id=${shellWord(projectId)}`]),
  ]
  const command = (name: string, own: readonly string[], operands: readonly string[]) => {
    const guard = operands.some((operand) => /^'?-/.test(operand)) ? ['--'] : []
    return [cli, name, ...flags, ...own, ...guard, ...operands].join(' ')
  }
  switch (request.kind) {
    case 'start': {
      const { programId, version, input, idempotencyKey } = request
      return command(
        'start',
        [
          ...(version === undefined ? [] : [`--version ${version}`]),
          ...(idempotencyKey === undefined ? [] : [`--idempotency-key=${shellWord(idempotencyKey)}`]),
          ...(input === undefined ? [] : [`--input=${quoted(stringifyExactJson(input))}`]),
        ],
        [shellWord(programId)],
      )
    }
    case 'read':
      return command('result', [], [shellWord(request.executionId)])
    case 'send-event': {
      const { executionId, name, payload } = request
      return command(
        'send',
        [],
        [
          shellWord(executionId),
          shellWord(name),
          ...(payload === undefined ? [] : [quoted(stringifyExactJson(payload))]),
        ],
      )
    }
  }
}
