// Receives events of one workspace. Events that come at the same moment share one transaction, and so one flush.

import {
  MAX_BUFFERED_BYTES,
  MAX_BUFFERED_EVENTS,
  eventData,
  type ReceivedEvent,
} from '../../src-runtime/engine/accept.ts'
import type { DatabaseClock } from './clock.ts'
import { toLoaded, type LoadedRow } from './loaded.ts'
import { parameters } from './parameters.ts'
import { toEnd } from './rows.ts'
import type { Scope } from './scope.ts'
import type { Acceptance, Received } from './store.ts'
import { toStored } from './stored-text.ts'
import { inOrderOf, MOST_LENGTH_SENT, unlessLocked, writtenTogether } from './written-together.ts'

/** With a `head`: also what was loaded. */
type ReceivedRow = Omit<LoadedRow, 'head'> & {
  readonly outcome: 'received' | 'repeated' | 'finished' | 'buffer_full' | 'gone'
  readonly at: number
  readonly status: number
  readonly id: string
  readonly wake: boolean
  readonly kept_position: number
  readonly kept_hash: string
  readonly head?: LoadedRow['head'] | null
}

type Receipt = { readonly key: number; readonly event: ReceivedEvent; readonly data: string; readonly bytes: number }

const LIMITS = [MAX_BUFFERED_EVENTS, MAX_BUFFERED_BYTES]
const receive = (call: string) => `SELECT * FROM ${call}(${parameters(10)})`
/** In the order of the rows that are given: rows of Executions are locked in it. */
const receiveMany = (call: string) => `SELECT c.* FROM json_to_recordset(${unlessLocked('$2')}) AS r (
    k bigint, id text, name text, data text, bytes int, sent_key text, sent_hash text)
  CROSS JOIN LATERAL ${call}($1, r.k, r.id, r.name, r.data, r.bytes, r.sent_key, r.sent_hash, $3, $4) AS c`
const MOST_TOGETHER = 64

export const createReceipts = (
  scope: Scope,
  { loadsWoken, clock }: { readonly loadsWoken: boolean; readonly clock: DatabaseClock },
): Acceptance['receive'] => {
  const call = loadsWoken ? 'wes_receive_and_load_part' : 'wes_receive'
  const [one, many] = [receive(call), receiveMany(call)]

  const storeOne = async ({ key, event: { id, name, idempotency }, data, bytes }: Receipt): Promise<ReceivedRow> => {
    const sent = [idempotency?.key ?? null, idempotency?.bodyHash ?? null]
    const [row] = await scope.call<ReceivedRow>(one, [key, id, toStored(name), data, bytes, ...sent, ...LIMITS])
    return row!
  }

  const storeMany = (receipts: readonly Receipt[]): Promise<readonly ReceivedRow[]> =>
    scope.call(many, [JSON.stringify(receipts.map(rowOf)), ...LIMITS])
  const keyOf = ({ key }: Receipt): number => key
  const { together, alone } = writtenTogether({
    most: MOST_TOGETHER,
    keyOf,
    lengthOf: ({ data }) => data.length,
    one: storeOne,
    many: (receipts) => inOrderOf(keyOf, receipts, storeMany),
  })

  return async (key, event) => {
    const data = eventData(event)
    const receipt = { key, event, data, bytes: Buffer.byteLength(data) }
    const askedAt = performance.now()
    const row = await (data.length > MOST_LENGTH_SENT ? alone(receipt) : together(receipt))
    if (row.outcome === 'received') clock.told(row.at, askedAt)
    return toReceived(row)
  }
}

const rowOf = ({ key, event: { id, name, idempotency }, data, bytes }: Receipt) => ({
  ...{ k: key, id, name: toStored(name), data, bytes },
  ...{ sent_key: idempotency?.key, sent_hash: idempotency?.bodyHash },
})

const toReceived = (row: ReceivedRow): Received => {
  const { outcome, at, status, id, wake, kept_position, kept_hash, head } = row
  switch (outcome) {
    case 'received':
      // When a cancel was delivered is not among what was read.
      return {
        ...{ kind: 'received', receivedAt: at, executionId: id, wake },
        ...(head && !head.cancel_delivered && { loaded: toLoaded({ ...row, head }) }),
      }
    case 'repeated':
      return { kind: 'repeated', received: { position: kept_position, bodyHash: kept_hash } }
    case 'finished':
      return { kind: 'finished', status: toEnd(status) }
    case 'buffer_full':
    case 'gone':
      return { kind: outcome }
  }
}
