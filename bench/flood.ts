// The thread of fairness.ts that floods a service with noops, each caller one after the other, until it is terminated.

import { workerData } from 'node:worker_threads'
import { callerOf } from './http.ts'
import { input, newId } from './load.ts'
import { sleep } from './waiting.ts'
import { apiOf, noneStarted } from './wes-peer.ts'

export type Flood = {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly callers: number
  /** Of each noop, beside a few characters of JSON. */
  readonly inputChars: number
}

/** After a refusal, because the workspace is over its rate. */
const PAUSE_MS = 50

const { origin, headers, callers, inputChars, counter } = workerData as Flood & {
  /** Of noops that have ended. */
  readonly counter: Int32Array<SharedArrayBuffer>
}
const api = apiOf(callerOf(origin, headers), noneStarted())

const sent = { ...input(1), text: 'x'.repeat(inputChars) }

const caller = async (): Promise<never> => {
  for (;;) {
    try {
      await api.run('noop', newId('f'), sent)
      Atomics.add(counter, 0, 1)
    } catch {
      await sleep(PAUSE_MS)
    }
  }
}
await Promise.all(Array.from({ length: callers }, caller))
