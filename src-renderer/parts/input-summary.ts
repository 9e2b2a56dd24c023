// What an Execution was started with, in one line: the label that its Program declares, or the beginning of its input.

import type { ExecutionSummary } from '#sdk/index.ts'

/** Empty when it was started without an input. */
export const summaryOf = ({ label, inputPreview }: Pick<ExecutionSummary, 'label' | 'inputPreview'>): string =>
  label ?? readablePreview(inputPreview ?? '')

/** A string with or without its closing quote, the colon behind a name, or a comma between members. */
const TOKEN = /"((?:[^"\\]|\\.)*)(?:"|$)(\s*:)?|,\s*/g

/** JSON that may be cut off, without the outer braces and the quotes: `orderId: x-7, cents: 4200`. */
export const readablePreview = (json: string): string => {
  const body = json.startsWith('{') ? json.slice(1).replace(/\}$/, '') : json
  return body.replaceAll(TOKEN, (_, text: string | undefined, colon: string | undefined) =>
    text === undefined ? ', ' : `${text}${colon === undefined ? '' : ': '}`,
  )
}
