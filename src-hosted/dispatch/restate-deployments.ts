// Tells Restate where workers are. Each address is a deployment: Restate continues work at the address where it began, and
// sends new work to the address that was registered last. So a new release of workers has a new address, and the old one
// is removed once all of its work is finished.

import { Type, type Static } from 'typebox'
import { pause } from '../../src-runtime/shared/pause.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { Dispatcher } from './dispatcher.ts'
import { executionOfKey } from './effect-key.ts'
import { createRestateAdmin, RefusedByRestate } from './restate-admin.ts'

/** An address of workers, as Restate knows it, and since when. */
export type RestateDeployment = { readonly id: string; readonly uri: string; readonly createdAt: number }

export type RestateDeployments = {
  /** Registers the address of this worker, or of several behind one address. Answers the deployment's id. */
  register(workerUrl: string): Promise<string>
  /**
   * Removes every older deployment that had no unfinished work at this call and the three before, and answers the other
   * older ones. `undefined`: new work goes to another one, so nothing was removed. Calls back with each that it has removed.
   */
  retireOthers(
    id: string,
    onRemoved?: (removed: RestateDeployment) => void,
  ): Promise<readonly RestateDeployment[] | undefined>
  /** Whether a node of Restate gets an answer from a worker at this address within 3 s. */
  reaches(workerUrl: string): Promise<boolean>
  /** Whether a node of Restate says that it gets no answer there, and none gets one. One that answers late is not meant. */
  cannotReach(workerUrl: string): Promise<boolean>
  /** All deployments that Restate knows. Without any, no worker is asked for work. */
  list(): Promise<readonly RestateDeployment[]>
  /**
   * Removes a deployment, so that all further work goes elsewhere. `endOrphans` ends what is unfinished there. Several workers may remove
   * the same one.
   */
  remove(id: string): Promise<void>
  /** Removes every other deployment, and ends its unfinished work. Rejects when `signal` aborts before. */
  abandonOthers(id: string, signal?: AbortSignal): Promise<void>
  /**
   * Ends what is unfinished on deployments that were removed: Restate would try it for ever. The Executions are visited again. Answers
   * how many these were, at the latest once Restate has shown for 10 s nothing but what was ended. Rejects when `signal` aborts before.
   */
  endOrphans(signal?: AbortSignal): Promise<number>
  /** Rejects what is asked and has no answer yet. */
  stop(): void
}

const REACHES_WITHIN_MS = 3_000
const SAYS_WITHIN_MS = 10_000
/** Restate's code for an address at which it finds no worker. */
const NO_WORKER = 'META0003'

const Registered = Type.Object({ id: Type.String() })
const Listed = Type.Object({
  deployments: Type.Array(Type.Object({ id: Type.String(), uri: Type.String(), created_at: Type.String() })),
})
const Latest = Type.Object({ services: Type.Array(Type.Object({ deployment_id: Type.String() })) })
const Invocations = Type.Object({
  rows: Type.Array(
    Type.Object({ id: Type.String(), service: Type.String(), key: Type.String(), deployment: Type.String() }),
  ),
})
type Invocation = Static<typeof Invocations>['rows'][number]

/** How many invocations are read at once. */
const PAGE = 1_000
/** How many of them are ended at once. */
const ENDED_AT_ONCE = 200
const SENT_WITHIN_MS = 5_000
/** A killed invocation remains visible for a moment; for longer while a node of Restate is away. */
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
const SHOWN_FOR_MS = 10_000
/** Work that went to an old deployment just before a new one was registered may not be visible yet. */
const EMPTY_LOOKS = 4

/**
 * `adminUrls`: of each node. `dispatcher`: asks for visits of Executions whose work is ended here; the sweeper would be much
 * later.
 */
export const createRestateDeployments = (
  adminUrls: readonly string[],
  dispatcher?: Pick<Dispatcher, 'poke'>,
): RestateDeployments => {
  const { call, read, askEach, stop } = createRestateAdmin(adminUrls)

  const unfinished = async (where: string): Promise<readonly Invocation[]> => {
    const columns = 'id, target_service_name AS service, target_service_key AS key, pinned_deployment_id AS deployment'
    const query = `SELECT ${columns} FROM sys_invocation WHERE ${where} AND status <> 'completed' LIMIT ${PAGE}`
    return (await read(Invocations, 'POST', '/query', { query })).rows
  }
  const unfinishedOn = (id: string) => unfinished(`pinned_deployment_id = '${checked(id)}'`)

  const list = async (): Promise<readonly RestateDeployment[]> => {
    const { deployments } = await read(Listed, 'GET', '/deployments')
    return deployments.map(({ id, uri, created_at }) => ({ id, uri, createdAt: Date.parse(created_at) }))
  }

  /** Whether new work goes to it. An old worker that starts again must not remove the new one. */
  const isLatest = async (id: string): Promise<boolean> => {
    const { services } = await read(Latest, 'GET', '/services')
    return services.every((service) => service.deployment_id === id)
  }

  const remove: RestateDeployments['remove'] = async (id) => {
    await call('DELETE', `/deployments/${id}?force=true`).catch(ignoreGone)
  }

  /** Messages that cannot be sent soon are left to the sweeper. */
  const visitAgain = (executionId: string): Promise<unknown> =>
    within(SENT_WITHIN_MS, Promise.allSettled([dispatcher?.poke(executionId, 'sweep')]))
  /** A deployment that is registered meanwhile has work that must stay: it is known once that work has been read. */
  const orphans = async (): Promise<readonly Invocation[]> => {
    const known = (await list()).map(({ id }) => `'${checked(id)}'`)
    if (known.length === 0) return []
    const found = await unfinished(`pinned_deployment_id NOT IN (${known.join(', ')})`)
    if (found.length === 0) return []
    const knownNow = new Set((await list()).map(({ id }) => id))
    return found.filter(({ deployment }) => !knownNow.has(deployment))
  }
  const endAll = async (
    invocations: readonly Invocation[],
    seen: ReadonlySet<string>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const asked = new Map<string, Promise<unknown>>()
    /** Those about schedules, of earlier releases, need no visit. */
    const askForVisit = async ({ id, service, key }: Invocation): Promise<void> => {
      if (service === 'Schedule' || seen.has(id)) return
      const executionId = executionOfKey(key)
      const sent = asked.get(executionId) ?? visitAgain(executionId)
      asked.set(executionId, sent)
      await sent
    }
    const left = invocations.values()
    const endSome = async (): Promise<void> => {
      for (const one of left) {
        // Send the message first: it waits behind the invocation that is ended. A crash in between would lose it.
        await askForVisit(one)
        await call('PATCH', `/invocations/${one.id}/kill`).catch(ignoreGone)
        signal?.throwIfAborted()
      }
    }
    await Promise.all(Array.from({ length: ENDED_AT_ONCE }, endSome))
  }
  const endOrphans: RestateDeployments['endOrphans'] = async (signal) => {
    /** A killed invocation may be read again until it is gone. */
    const seen = new Set<string>()
    let pauseMs = FIRST_PAUSE_MS
    let lastUnseen = performance.now()
    for (let some = await orphans(); some.length > 0; some = await orphans()) {
      const unseen = some.filter(({ id }) => !seen.has(id))
      await endAll(some, seen, signal)
      for (const { id } of some) seen.add(id)
      await pause(pauseMs, signal)
      signal?.throwIfAborted()
      if (unseen.length > 0) lastUnseen = performance.now()
      if (performance.now() - lastUnseen > SHOWN_FOR_MS) break
      pauseMs = unseen.length > 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
    return seen.size
  }
  /** Without `force`, Restate answers for an address that it knows without asking there. A dry run changes nothing. */
  const askThere = (uri: string, limitMs: number) =>
    askEach('POST', '/deployments', { uri, force: true, dry_run: true }, limitMs)
  /** At how many calls in a row a deployment had no unfinished work. */
  let emptyLooks: ReadonlyMap<string, number> = new Map()

  return {
    // Without `force`, which would continue running work in handlers with other steps.
    register: async (uri) => (await read(Registered, 'POST', '/deployments', { uri, force: false })).id,
    retireOthers: async (id, onRemoved) => {
      if (!(await isLatest(id))) return undefined
      const all = await list()
      const own = all.find((one) => one.id === id)
      // Since it was the latest, a newer one may have come, which must stay.
      const older = all.filter((one) => own !== undefined && one.id !== id && one.createdAt <= own.createdAt)
      const empty = new Map<string, number>()
      const left: RestateDeployment[] = []
      for (const other of older) {
        const isEmpty = (await unfinishedOn(other.id)).length === 0
        const count = isEmpty ? (emptyLooks.get(other.id) ?? 0) + 1 : 0
        if (count >= EMPTY_LOOKS) {
          await remove(other.id)
          onRemoved?.(other)
        } else left.push(other)
        empty.set(other.id, count)
      }
      emptyLooks = empty
      return left
    },
    reaches: (uri) =>
      Promise.any(askThere(uri, REACHES_WITHIN_MS)).then(
        () => true,
        () => false,
      ),
    cannotReach: async (uri) => {
      const answers = await Promise.allSettled(askThere(uri, SAYS_WITHIN_MS))
      return answers.every(({ status }) => status === 'rejected') && answers.some(isNoWorker)
    },
    list,
    remove,
    abandonOthers: async (id, signal) => {
      for (const other of await list()) if (other.id !== id) await remove(other.id)
      await endOrphans(signal)
    },
    endOrphans,
    stop,
  }
}

/** For queries. */
const checked = (id: string): string => {
  if (!/^dp_\w+$/.test(id)) throw new Error(`"${id}" is no deployment's id`)
  return id
}

const isNoWorker = (answer: PromiseSettledResult<unknown>): boolean =>
  answer.status === 'rejected' && answer.reason instanceof RefusedByRestate && answer.reason.message.includes(NO_WORKER)

/** It has ended, or was removed, since it was read. */
const ignoreGone = (error: unknown): void => {
  if (!(error instanceof RefusedByRestate && error.status === 404)) throw error
}
