// The interface of a measured system. The same as in the harness that measures other systems, so that our runtime can
// run there too.

import type { ChildProcess } from 'node:child_process'

export type BenchProcess = ChildProcess & {
  /** The end of its output, for error messages. */
  tail: string
}

/** noop returns its input, ten runs ten durable steps, event waits for one event and returns its payload. */
export type ProgramKind = 'noop' | 'ten' | 'event'

export type Json = { readonly [member: string]: unknown }

export type PeerApi = {
  /** Starts an Execution with the caller's id, and resolves to its result. */
  run(kind: ProgramKind, id: string, input: Json): Promise<Json>
  /** Resolves when the start is durable. */
  start(kind: ProgramKind, id: string, input: Json): Promise<unknown>
  /** Waits for the result of an earlier start. */
  result(kind: ProgramKind, id: string): Promise<Json>
  /** Resolves when the event is durable. */
  event(id: string, payload: Json): Promise<unknown>
  /** The number of `event` Executions that have reached their wait, and the last of them. */
  parked(): Promise<{ count: number; last: string | null }>
  /** Other variants of W1. */
  readonly extra?: Readonly<Record<string, (id: string, input: Json) => Promise<unknown>>>
}

export type Running = { readonly procs: BenchProcess[]; readonly urls: Readonly<Record<string, string>> }

export type Peer = {
  readonly name: string
  readonly what: string
  /** Must be free before a boot, so that no other process is measured. */
  readonly ports: readonly number[]
  versions(): Readonly<Record<string, string>>
  boot(dir: string, how: { fresh: boolean }): Promise<Running>
  api(urls: Running['urls']): PeerApi
}

export type Memory = { readonly rss: number; readonly pss: number }

export type Throughput = {
  readonly perSec: number
  readonly done: number
  readonly errors: number
  readonly p50: number
  readonly p99: number
  readonly flushesPer: number
  readonly bytesPer: number
}

/** One round of one peer, with the figures that were measured. Latencies are in ms. */
export type Round = {
  readonly peer: string
  error?: string
  w1?: { lat: number[]; flushesPerC1: number; c64: Throughput }
  w1x?: Record<string, { lat: number[]; c64: Throughput }>
  w2?: { lat: number[]; flushesPerC1: number; c32: Throughput }
  w3?: { lat: number[] }
  w4?: {
    n: number
    startedMs: number
    parkedMs: number
    rssPer: number
    pssPer: number
    diskPer: number
    writtenPer: number
  }
  w5?: { n: number; firstEventAcceptedMs: number; allEventsAcceptedMs: number; allDoneMs: number; lost: number }
  w6?: { coldMs: number[]; idle?: Memory }
}
