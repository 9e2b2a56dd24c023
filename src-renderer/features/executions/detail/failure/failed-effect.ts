// Finds the effect that explains a failure: the last one without attempts left that failed with the same message.

import type { ExecutionError } from '#sdk/index.ts'
import type { Command } from '../journal/commands.ts'
import type { Thrown } from './stack.ts'

export const failedEffect = (commands: readonly Command[], error: ExecutionError): Command | undefined =>
  commands.findLast(({ kind, outcome, attempts }) => {
    const said = attempts.at(-1)?.error
    return kind === 'effect' && outcome === 'failed' && said !== undefined && isSaid(said, error.message)
  })

/** `said`, which may begin with the error's name, is cut off where it is long. */
const isSaid = (said: string, message: string): boolean => {
  const named = said.replace(/^[^:]*: /, '')
  return isBegunBy(message, said) || isBegunBy(message, named) || said.endsWith(`: ${message}`)
}

const isBegunBy = (whole: string, said: string): boolean =>
  whole === said || (said.endsWith('…') && whole.startsWith(said.slice(0, -1)))

/** The errors of the Program itself: those of the effect that caused them are shown with the effect. */
export const withoutEffectErrors = (chain: readonly Thrown[], effect: Command | undefined): readonly Thrown[] => {
  const said = effect?.attempts.at(-1)?.error
  if (said === undefined) return chain
  const at = chain.findIndex(
    ({ headline }, index) => index > 0 && (isBegunBy(headline, said) || isBegunBy(headline, `Error: ${said}`)),
  )
  return at === -1 ? chain : chain.slice(0, at)
}
