// Finds the effects that explain a failure: those without attempts left, the one that ended the Execution first.

import type { ExecutionError } from '#sdk/index.ts'
import type { Command } from '../journal/commands.ts'

export const failedEffects = (commands: readonly Command[], error: ExecutionError): readonly Command[] => {
  const failed = commands.filter((command) => command.kind === 'effect' && command.outcome === 'failed')
  const isCause = (command: Command) => {
    const said = command.attempts.at(-1)?.error
    return said !== undefined && (said === error.message || said.endsWith(`: ${error.message}`))
  }
  return failed.filter(isCause).slice(-1)
}
