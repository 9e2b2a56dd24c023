// The input of an Execution in one line: the label that its Program declares, or the beginning of the input.

import type { ExecutionSummary } from '#sdk/index.ts'

/** Empty when the Execution has no input. */
export const summaryOf = ({ label, inputPreview }: Pick<ExecutionSummary, 'label' | 'inputPreview'>): string =>
  label ?? readablePreview(inputPreview ?? '')

/** Matches a string (perhaps cut off), the colon after a name, or a comma. */
const TOKEN = /"((?:[^"\\]|\\.)*)(?:"|$)(\s*:)?|,\s*/g

/** Formats JSON that may be cut off without the outer braces and quotes: `orderId: x-7, cents: 4200`. */
export const readablePreview = (json: string): string => {
  const body = json.startsWith('{') ? json.slice(1).replace(/\}$/, '') : json
  return body.replaceAll(TOKEN, (_, text: string | undefined, colon: string | undefined) =>
    text === undefined ? ', ' : `${text}${colon === undefined ? '' : ': '}`,
  )
}
