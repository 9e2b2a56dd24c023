// Snippets for a POSIX shell: curl and the command line tool.

import { stringifyExactJson } from '../../exact-json.ts'
import { DEFAULT_URL } from '../default-address.ts'
import { type SnippetRequest, type SnippetTarget, TOKEN_PLACEHOLDER } from './request.ts'

/** Quotes any text as one shell word. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const lines = (words: readonly string[]): string => words.join(' \\\n  ')

/** The environment of a command that talks to a hosted service. */
export const environmentWords = ({ url }: Pick<SnippetTarget, 'url'>): readonly string[] => [
  `SERVICE_API_BASE_URL=${shellWord(url)}`,
  `SERVICE_TOKEN=${shellWord(TOKEN_PLACEHOLDER)}`,
]

export const curlSnippet = (request: SnippetRequest, target: SnippetTarget): string => {
  const { url, projectId, needsToken } = target
  const before = needsToken
    ? environmentWords(target)
        .map((word) => `${word}\n`)
        .join('')
    : ''
  const address = (path: string) => (needsToken ? `"$SERVICE_API_BASE_URL"${shellWord(path)}` : shellWord(url + path))
  const headers = [
    // Double quotes, because the shell inserts the token.
    ...(needsToken ? ['-H "Authorization: Bearer $SERVICE_TOKEN"'] : []),
    ...(projectId === undefined ? [] : [`-H ${shellWord(`X-Service-Project-Id: ${projectId}`)}`]),
  ]
  const post = (path: string, body: unknown, more: readonly string[] = []) =>
    before +
    lines([
      `curl -sS ${address(path)}`,
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
      return (
        before + lines([`curl -sS ${address(`/v1/executions/${encodeURIComponent(request.executionId)}`)}`, ...headers])
      )
    case 'send-event': {
      const { executionId, name, payload } = request
      return post(`/v1/executions/${encodeURIComponent(executionId)}/events`, { name, payload })
    }
  }
}

/** Always quoted, because JSON is easier to read that way. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command of `wes` for the project, and for the service unless the environment names it. */
export const wesCommand = (
  { url, projectId, needsToken, cli = 'wes' }: SnippetTarget,
  name: string,
  own: readonly string[] = [],
  operands: readonly string[] = [],
): string => {
  const guard = operands.some((operand) => /^'?-/.test(operand)) ? ['--'] : []
  return [
    cli,
    name,
    ...(url === DEFAULT_URL || needsToken ? [] : [`--url ${shellWord(url)}`]),
    ...(projectId === undefined ? [] : [`--project-id=${shellWord(projectId)}`]),
    ...own,
    ...guard,
    ...operands,
  ].join(' ')
}

const withEnvironment = (target: SnippetTarget, command: string): string =>
  [...(target.needsToken ? environmentWords(target) : []), command].join(' ')

/** The words of a command. A quoted text is a part of its word. */
export const wordsOf = (command: string): readonly string[] => command.match(/(?:\\.|'[^']*'|\S)+/g) ?? []

/** Deploys the Programs of the folder in which it runs. */
export const deployCommand = (target: SnippetTarget): string => withEnvironment(target, wesCommand(target, 'deploy'))

export const cliSnippet = (request: SnippetRequest, target: SnippetTarget): string => {
  const command = (name: string, own: readonly string[], operands: readonly string[]) =>
    withEnvironment(target, wesCommand(target, name, own, operands))
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
