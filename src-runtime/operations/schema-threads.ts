// Threads that check what takes long to check: values against schemas of artifacts, and these schemas themselves. Tenants take
// turns, and have one check under way each, so that none of them keeps the process or another tenant waiting.

import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../contract/errors.ts'
import type { JsonText } from '../engine/journal.ts'
import { createFairPlaces, unlessLate } from '../shared/fair-places.ts'
import type { CheckOutcome } from './check-json-schema.ts'
import type { Asked, Answered } from './schema-thread-main.ts'

export type SchemaThreads = {
  /** The versions of a tenant take turns. Rejects with an ApiError if nothing could be checked. */
  check(tenant: string, versionId: string, value: ValueToCheck): Promise<CheckOutcome>
  /** Why the schemas of a manifest cannot be used. */
  manifestFault(tenant: string, manifest: JsonText): Promise<string | undefined>
  stop(): Promise<void>
}

export type ValueToCheck = { readonly schema: JsonText; readonly name: string; readonly value: JsonText }

const THREADS = 2
const OF_TENANT = 1
const WAIT_MS = 10_000
/** Beyond every limit that a thread sets itself. */
const LIMIT_MS = 60_000
/** A thread takes 15 MB, and 50 ms of a processor to start. */
const IDLE_MS = 600_000
const MEMORY_MB = 256

const ENDING = extname(import.meta.filename)
/** Beside this module, in the sources and in a bundle. */
const ENTRY = join(import.meta.dirname, `schema-thread-main${ENDING}`)

export const createSchemaThreads = ({ waitMs = WAIT_MS } = {}): SchemaThreads => {
  const places = createFairPlaces(THREADS, () => OF_TENANT)
  const late = unlessLate(waitMs, 'no thread was free in time')
  const running = new Set<Thread>()
  /** The last one is used next, so that those that are not needed end. */
  const idle: Thread[] = []
  let isStopped = false

  const start = (): Thread => {
    const thread = startThread(() => {
      running.delete(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
    })
    running.add(thread)
    return thread
  }

  const ask = async (tenant: string, part: string, asked: Asked): Promise<Answered> => {
    const giveBack = await places.take(tenant, late, 1, part).catch(() => {
      throw tooMany()
    })
    try {
      if (isStopped) throw unavailable()
      const thread = idle.pop() ?? start()
      const answered = await thread.ask(asked)
      if (running.has(thread)) idle.push(thread)
      return answered
    } catch (error) {
      if (isOutOfMemory(error)) return { kind: 'unusable' }
      throw error instanceof ApiError ? error : unavailable()
    } finally {
      giveBack()
    }
  }

  return {
    check: async (tenant, versionId, value) => {
      const answered = await ask(tenant, versionId, { kind: 'value', ...value })
      if (answered.kind === 'manifest' || answered.kind === 'unavailable') throw unavailable()
      return answered
    },
    manifestFault: async (tenant, manifest) => {
      const answered = await ask(tenant, '', { kind: 'manifest', manifest })
      if (answered.kind === 'unusable') return 'manifest has schemas that take too much memory to be checked'
      if (answered.kind !== 'manifest') throw unavailable()
      return answered.fault
    },
    stop: async () => {
      isStopped = true
      await Promise.all([...running].map((thread) => thread.end()))
    },
  }
}

const RETRY = { 'retry-after': '1' }

const tooMany = () =>
  new ApiError('rate_limited', 'Too much is being checked against schemas already: send less at the same time.', RETRY)

const unavailable = () =>
  new ApiError('unavailable', 'Nothing can be checked against a schema right now: try again.', RETRY)

const isOutOfMemory = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'

type Thread = {
  /** One at a time. */
  ask(asked: Asked): Promise<Answered>
  end(): Promise<unknown>
}

const startThread = (onEnd: () => void): Thread => {
  const worker = new Worker(ENTRY, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } })
  worker.unref()
  let schemaThere: string | undefined
  let idle: NodeJS.Timeout | undefined
  let pending: PromiseWithResolvers<Answered> | undefined
  const end = (): Promise<unknown> => worker.terminate()
  const endLater = (ms: number): NodeJS.Timeout => setTimeout(() => void end(), ms)
  worker.on('message', (answered: Answered) => pending?.resolve(answered))
  worker.on('error', (error) => pending?.reject(error))
  worker.once('exit', () => {
    clearTimeout(idle)
    onEnd()
    pending?.reject(new Error('The thread has ended'))
  })
  return {
    ask: async (asked) => {
      clearTimeout(idle)
      const overdue = endLater(LIMIT_MS)
      pending = Promise.withResolvers()
      worker.ref()
      try {
        worker.postMessage(asked.kind === 'value' ? { ...asked, schema: schemaFor(asked.schema) } : asked)
        return await pending.promise
      } finally {
        clearTimeout(overdue)
        pending = undefined
        worker.unref()
        idle = endLater(IDLE_MS).unref()
      }
    },
    end,
  }

  /** The thread keeps the last one. */
  function schemaFor(schema: string | undefined): string | undefined {
    if (schema === schemaThere) return undefined
    schemaThere = schema
    return schema
  }
}
