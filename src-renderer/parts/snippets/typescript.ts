// Snippets for the TypeScript client.

import { ExactNumber } from '../../exact-json.ts'
import { DEFAULT_URL } from '../default-address.ts'
import { environmentComments, type SnippetRequest, type SnippetTarget } from './request.ts'

export const typeScriptSnippet = (request: SnippetRequest, target: SnippetTarget): string => {
  const { helper, literal } = createPrinter()
  const body = callOf(request, literal)
  return [
    ...environmentComments(target),
    "import { createClient } from 'workflow-execution-service'",
    '',
    `const client = createClient(${optionsOf(target)})`,
    ...helper(),
    body,
    '',
  ].join('\n')
}

/** The argument of `createClient`, in source text; may be empty. */
export const optionsOf = ({ url, projectId, needsToken }: SnippetTarget): string => {
  const options = [
    // For a hosted service, the client reads its address from the environment, like the token.
    ...(url === DEFAULT_URL || needsToken ? [] : [`url: ${textLiteral(url)}`]),
    ...(projectId === undefined ? [] : [`projectId: ${textLiteral(projectId)}`]),
  ]
  return options.length === 0 ? '' : `{ ${options.join(', ')} }`
}

const callOf = (request: SnippetRequest, literal: (value: unknown) => string): string => {
  switch (request.kind) {
    case 'start': {
      const { programId, version, input, idempotencyKey } = request
      const options = [
        ...(version === undefined ? [] : [`version: ${version}`]),
        ...(idempotencyKey === undefined ? [] : [`idempotencyKey: ${textLiteral(idempotencyKey)}`]),
      ]
      const given = input === undefined ? (options.length === 0 ? [] : ['undefined']) : [literal(input)]
      const call = [textLiteral(programId), ...given, ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`])]
      return `const execution = await client.start(${call.join(', ')})\nconsole.log(execution.id, await execution.result())`
    }
    case 'read':
      return `console.log(await client.getExecution(${textLiteral(request.executionId)}))`
    case 'send-event': {
      const { executionId, name, payload } = request
      const call = [textLiteral(executionId), textLiteral(name), ...(payload === undefined ? [] : [literal(payload)])]
      return `await client.sendEvent(${call.join(', ')})`
    }
  }
}

/** A string literal in single quotes, as in the client's examples. */
export const textLiteral = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const createPrinter = () => {
  let isExactUsed = false
  const literal = (value: unknown, depth = 0): string => {
    if (value instanceof ExactNumber) {
      isExactUsed = true
      return `exact('${value.source}')`
    }
    if (typeof value === 'string') return textLiteral(value)
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const parts = Array.isArray(value)
      ? value.map((item) => literal(item, depth + 1))
      : Object.entries(value).map(([name, member]) => `${nameLiteral(name)}: ${literal(member, depth + 1)}`)
    return join(parts, Array.isArray(value) ? '[]' : '{}', depth)
  }
  const helper = () =>
    isExactUsed
      ? [
          '// Numbers that JavaScript’s cannot hold, sent digit by digit.',
          'const exact = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON',
        ]
      : []
  return { literal, helper }
}

/** `__proto__: …` would set the prototype. */
const nameLiteral = (name: string): string => {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name)
}

const LONGEST_LINE = 60

const join = (parts: readonly string[], [open, close]: string, depth: number): string => {
  if (parts.length === 0) return `${open}${close}`
  const inline = parts.join(', ')
  if (inline.length <= LONGEST_LINE && !inline.includes('\n')) {
    return open === '{' ? `{ ${inline} }` : `[${inline}]`
  }
  const indent = '  '.repeat(depth)
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${close}`
}
