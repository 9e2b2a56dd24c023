// Finds the effect that explains a failure: the last one without attempts left that failed with the same message.

import type { ExecutionError } from '#sdk/index.ts'
import type { Command } from '../journal/commands.ts'
import type { Thrown } from './stack.ts'

export const failedEffect = (commands: readonly Command[], error: ExecutionError): Command | undefined =>
  commands.findLast(({ kind, outcome, attempts }) => {
    const said = attempts.at(-1)?.error
    const isSame = said !== undefined && (said === error.message || said.endsWith(`: ${error.message}`))
    return kind === 'effect' && outcome === 'failed' && isSame
  })

/** The errors of the Program itself: those of the effect that caused them are shown with the effect. */
export const withoutEffectErrors = (chain: readonly Thrown[], effect: Command | undefined): readonly Thrown[] => {
  const said = effect?.attempts.at(-1)?.error
  if (said === undefined) return chain
  const at = chain.findIndex(({ headline }, index) => index > 0 && [said, `Error: ${said}`].includes(headline))
  return at === -1 ? chain : chain.slice(0, at)
}
