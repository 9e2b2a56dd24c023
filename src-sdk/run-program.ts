// Starting an Execution and waiting for its end. The start asks the service to hold its answer for a moment; an Execution
// that has not ended by then, or on a service that does not hold the answer, is waited for as by `result()`.

import type { Execution } from './contract-types.ts'
import { readResultOf } from './execution-handle.ts'
import type { Transport } from './transport.ts'
import { checkTimeout, type WaitOptions, waitForResult } from './wait-for-result.ts'
import type { WebAbortSignal } from './web-platform.ts'

/** Short: when the connection breaks meanwhile, the caller does not learn the id of what was started. */
const HOLD_SECONDS = 5

type SendStart = (headers: Readonly<Record<string, string>>, signal: WebAbortSignal | undefined) => Promise<Execution>

export const runProgram = async (transport: Transport, start: SendStart, options: WaitOptions): Promise<unknown> => {
  const { signal, timeout = Infinity } = options
  checkTimeout(timeout)
  if (signal?.aborted) throw signal.reason ?? new Error('The run was aborted')
  const begun = Date.now()
  const seconds = Math.min(HOLD_SECONDS, Math.floor(timeout / 1000))
  const started = await start({ Prefer: `wait=${seconds}` }, signal).catch((error: unknown) => {
    throw signal?.aborted ? (signal.reason ?? error) : error
  })
  const left = timeout === Infinity ? timeout : Math.max(0, timeout - (Date.now() - begun))
  return waitForResult(started.id, readResultOf(transport, started.id), { signal, timeout: left }, started)
}
