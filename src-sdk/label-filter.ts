// Services of older releases ignore the filter by label, and list all Executions.

import type { ExecutionSummary, List } from './contract-types.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'

/** As services compare text: ASCII letters only. */
const inLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Throws where an Execution does not have the text in its label: whoever asked for it may be about to delete what is listed. */
export const withLabel = (list: List<ExecutionSummary>, label = ''): List<ExecutionSummary> => {
  const asked = inLowerCase(label)
  if (asked === '' || list.items.every((one) => inLowerCase(one.label ?? '').includes(asked))) return list
  throw new ServiceRuntimeError({
    status: 200,
    code: 'invalid_response',
    message: 'This service cannot find Executions by their label: it is older than this client.',
  })
}
