// Finds the effects that explain a failure: those without attempts left, the one that ended the Execution first.

import type { ExecutionError } from '#sdk/index.ts'
import type { Command } from '../journal/commands.ts'
import type { Thrown } from './stack.ts'

export const failedEffects = (commands: readonly Command[], error: ExecutionError): readonly Command[] => {
  const failed = commands.filter((command) => command.kind === 'effect' && command.outcome === 'failed')
  const isCause = (command: Command) => {
    const said = command.attempts.at(-1)?.error
    return said !== undefined && (said === error.message || said.endsWith(`: ${error.message}`))
  }
  return failed.filter(isCause).slice(-1)
}

/** The errors of the Program itself: those of the effect that caused them are shown with the effect. */
export const withoutEffectErrors = (chain: readonly Thrown[], effect: Command | undefined): readonly Thrown[] => {
  const said = effect?.attempts.at(-1)?.error
  if (said === undefined) return chain
  const at = chain.findIndex(({ headline }, index) => index > 0 && [said, `Error: ${said}`].includes(headline))
  return at === -1 ? chain : chain.slice(0, at)
}
