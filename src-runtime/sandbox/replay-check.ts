// Compares what a replayed turn asked for with the journal.

import { isWithin, RETRY_LIMITS } from '../shared/retry-limits.ts'
import { commandLines, commandText, isCommand, readTurn } from './turn-text.ts'

export type Difference = {
  /** Index of the command within the turn. */
  readonly index: number
  /** The command found instead, as a turn's text; empty: none. */
  readonly found: string
  /** Its number; 0: none. */
  readonly command: number
  /** How the Program ended instead; empty: it did not end. */
  readonly ended: string
}

/** A `commandsText` has two lines for each command. */
const splitCommands = (expected: string): readonly string[] => {
  const commands: string[] = []
  const lines = expected.split('\n')
  for (let at = 0; at + 1 < lines.length; at += 2) commands.push(`${lines[at]}\n${lines[at + 1]}\n`)
  return commands
}

const isBounded = ({ maxAttempts = 1, initialIntervalMs = 0, backoffCoefficient = 1, maxIntervalMs = 0 }): boolean =>
  isWithin(RETRY_LIMITS.maxAttempts, maxAttempts) &&
  isWithin(RETRY_LIMITS.intervalMs, initialIntervalMs) &&
  isWithin(RETRY_LIMITS.backoffCoefficient, backoffCoefficient) &&
  isWithin(RETRY_LIMITS.intervalMs, maxIntervalMs)

/** Whether a journalled turn holds what `ctx` once accepted: a retry policy beyond the bounds, or a name with U+0000. */
export const holdsOldTerms = (expected: string): boolean => {
  if (!expected.includes('"retry":') && !expected.includes('\\u0000')) return false
  return splitCommands(expected).some((text) => {
    const [head = '', data = ''] = text.split('\n')
    const { retry } = JSON.parse(data) as { readonly retry?: Record<string, number> }
    return nameIn(head).includes('\0') || (retry !== undefined && !isBounded(retry))
  })
}

const nameIn = (head: string): string => {
  const at = head.indexOf('"')
  return at === -1 ? '' : (JSON.parse(head.slice(at)) as string)
}

const endOf = (outcome: ReturnType<typeof readTurn>['outcome']): string => {
  switch (outcome.kind) {
    case 'suspended':
      return ''
    case 'completed':
      return 'the Program returned'
    case 'failed':
      return `the Program failed: ${outcome.error.name ?? outcome.error.code}: ${outcome.error.message}`
  }
}

/** `expected` is a `commandsText`. Logs and the option lines of effects are not compared. */
export const compareReplay = (turn: string, expected: string): Difference | undefined => {
  const { operations, outcome } = readTurn(turn)
  const commands = operations.filter(isCommand)
  const ended = endOf(outcome)
  const texts = commands.map(commandText)
  if (ended === '' && texts.join('') === expected) return undefined
  const wanted = splitCommands(expected)
  const index = texts.findIndex((text, at) => text !== wanted[at])
  const at = index >= 0 ? index : texts.length
  const found = commands[at]
  if (found === undefined) return { index: at, found: '', command: 0, ended }
  return { index: at, found: commandLines(found), command: found.command, ended: '' }
}
