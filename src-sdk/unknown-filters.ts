// Services of older releases ignore the filters `label` and `againOf`, and list all Executions.

import type { ExecutionFilter, ExecutionSummary, List } from './contract-types.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'

/** As services compare text: ASCII letters only. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Throws where an Execution does not match these filters: whoever asked for them may be about to delete what is listed. */
export const withoutOthers = (
  list: List<ExecutionSummary>,
  { label = '', againOf = [] }: ExecutionFilter = {},
): List<ExecutionSummary> => {
  const text = inLowerCase(label)
  if (text !== '' && !list.items.every((one) => inLowerCase(one.label ?? '').includes(text))) {
    throw ignored('by their label')
  }
  const ids = [againOf].flat()
  if (ids.length > 0 && !list.items.every((one) => ids.includes(one.againOf ?? ''))) {
    throw ignored('by what they run again')
  }
  return list
}

const ignored = (how: string): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 200,
    code: 'invalid_response',
    message: `This service cannot find Executions ${how}: it is older than this client.`,
  })
