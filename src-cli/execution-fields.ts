// What `result` and `executions show` print about one Execution, line by line.

import type { JsonValue, ResultView } from '#sdk/index.ts'
import { statusColour } from './colour.ts'
import type { Field } from './table.ts'
import { printable } from './text.ts'

export const statusField = ({ status }: Pick<ResultView, 'status'>): Field => [
  'status',
  { text: status, colour: statusColour(status) },
]

/** None for undefined. */
export const jsonField = (name: string, value: JsonValue | undefined): Field => [
  name,
  value === undefined ? undefined : printable(JSON.stringify(value, undefined, 2)),
]

/** Its result, or its error with the causes. */
export const fieldsOfEnd = ({ result, error }: Pick<ResultView, 'result' | 'error'>): readonly Field[] => {
  const fields = [jsonField('result', result)]
  if (error === undefined) return fields
  let said = headline(error)
  fields.push(['error', printable(said)], ['code', printable(error.code)])
  const frames = framesOf(error)
  if (frames !== '') fields.push(['stack', printable(frames.replaceAll(/^ +/gm, ''))])
  for (let { cause } = error; cause !== undefined; { cause } = cause) {
    const text = `${headline(cause)}\n${framesOf(cause)}`.trimEnd()
    // An error of an effect has the message of its cause.
    if (text !== said) fields.push(['cause', printable(text)])
    said = text
  }
  return fields
}

type Cause = NonNullable<NonNullable<ResultView['error']>['cause']>

const headline = ({ name, message }: Pick<Cause, 'name' | 'message'>): string =>
  `${name === undefined ? '' : `${name}: `}${message}`

/** Its stack without the headline, with which it may begin. */
const framesOf = (error: Cause): string => {
  const { stack = '' } = error
  const shown = headline(error)
  return (stack.startsWith(shown) ? stack.slice(shown.length).replace(/^\r?\n/, '') : stack).trimEnd()
}
