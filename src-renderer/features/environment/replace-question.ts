import { plural } from '../../parts/format.ts'
import type { Question } from '../../stores/confirmation.ts'

/** Before values that are set already are replaced. */
export const replaceQuestion = (names: readonly string[]): Question => {
  const [only] = names
  const what =
    names.length === 1 ? `The current value of ${only} is` : `The current values of ${names.length} variables are`
  return {
    title: names.length === 1 ? `Replace ${only}` : `Replace ${plural(names.length, 'value')}`,
    text: `${what} replaced and cannot be restored. Effects that start at least 5 seconds later get ${names.length === 1 ? 'the new one' : 'the new ones'}.`,
    action: `Replace ${plural(names.length, 'value')}`,
    danger: true,
  }
}
