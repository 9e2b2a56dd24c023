// Cancels of one workspace. Those that come at the same moment, as those of a bulk do, share one transaction, and so one flush.

import { statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { toEnd } from './rows.ts'
import type { Scope } from './scope.ts'
import type { Acceptance } from './store.ts'
import { inOrderOf, unlessLocked, writtenTogether } from './written-together.ts'

type CancelRow = {
  readonly outcome: 'accepted' | 'finished' | 'gone'
  readonly status: number
  readonly id: string
  readonly wake: boolean
}

type Cancel = { readonly key: number }

const CANCEL = 'SELECT * FROM wes_cancel($1, $2)'
/** In the order of the keys that are given: rows of Executions are locked in it. */
const CANCEL_MANY = `SELECT c.* FROM json_array_elements_text(${unlessLocked('$2')}) AS r (k)
  CROSS JOIN LATERAL wes_cancel($1, r.k::bigint) AS c`
const MOST_TOGETHER = 64

export const createCancels = (scope: Scope): Acceptance['requestCancel'] => {
  const keyOf = ({ key }: Cancel): number => key
  const { together } = writtenTogether({
    most: MOST_TOGETHER,
    keyOf,
    one: async ({ key }) => (await scope.call<CancelRow>(CANCEL, [key]))[0]!,
    many: (cancels) =>
      inOrderOf(keyOf, cancels, (sorted) => scope.call<CancelRow>(CANCEL_MANY, [JSON.stringify(sorted.map(keyOf))])),
  })

  return async (key) => {
    const { outcome, status, id: executionId, wake } = await together({ key })
    if (outcome === 'gone') return { kind: 'gone' }
    if (outcome === 'finished') return { kind: 'finished', status: toEnd(status) }
    return { kind: 'accepted', status: statusCodes.toWord(status), executionId, wake }
  }
}
