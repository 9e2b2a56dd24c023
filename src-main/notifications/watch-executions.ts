// Follows the changes of the current runtime, and notifies the user. Changes of one second are handled together, so
// that a thousand failures are one notification. The tray shows the last failures, and that the disk is full.

import type { Logger } from 'pino'
import type { Cancel, Clock } from '../../src-runtime/shared/clock.ts'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { Execution } from '../../src-sdk/contract-types.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import type { ExecutionChange } from '../../src-sdk/inspection-types.ts'
import {
  candidates,
  coalesce,
  executionPath,
  notificationOf,
  type Candidate,
  type NotifyRules,
  type ShownText,
} from './notification-texts.ts'

/** `path`: of its page. */
export type Failure = { readonly path: string; readonly programId: string; readonly at: string }

export type ExecutionWatch = {
  /** The latest ones, newest first. */
  failures(): readonly Failure[]
  /** Whether the runtime that is followed can store nothing. */
  diskIsFull(): boolean
  /** Calls back when these have changed: for failures, at most once a second. */
  onTrayFacts(listener: () => void): void
  /** Follows this runtime instead of the previous one; undefined: none. */
  follow(client: WatchedClient | undefined): void
}

export type WatchedClient = Pick<ServiceClient, 'streamChanges' | 'getExecution' | 'getRuntime'>

const COLLECT_MS = 1_000
/** If more Executions change within one second, only the newest are kept. */
const MOST_COLLECTED = 1_000
const MOST_LOOKED_UP = 20
const FAILURES_KEPT = 5
const TOLD_KEPT = 1_000

export const createExecutionWatch = (parts: {
  readonly rules: () => NotifyRules
  readonly show: (notice: ShownText) => void
  /** Whether the dashboard already shows the change to the user. */
  readonly isSeen: () => boolean
  readonly clock: Clock
  readonly log: Logger
}): ExecutionWatch => {
  const { rules, show, isSeen, clock, log } = parts
  const failures: Failure[] = []
  const listeners: (() => void)[] = []
  const told = new Set<string>()
  let collected: ExecutionChange[] = []
  let flushing: Cancel | undefined
  let telling: Cancel | undefined
  let following: AbortController | undefined
  let diskIsFull = false

  const tellTray = (): void => {
    for (const listener of listeners) listener()
  }

  const take = (change: ExecutionChange, client: Pick<ServiceClient, 'getExecution'>): void => {
    if (change.status === 'failed') {
      failures.unshift({ path: executionPath(change), programId: change.programId, at: change.at })
      failures.splice(FAILURES_KEPT)
      telling ??= clock.after(COLLECT_MS, () => {
        telling = undefined
        tellTray()
      })
    }
    if (!Object.values(rules()).some(Boolean)) return
    collected.push(change)
    if (collected.length > MOST_COLLECTED) collected.shift()
    flushing ??= clock.after(COLLECT_MS, () => {
      flushing = undefined
      const changes = collected
      collected = []
      tell(changes, client).catch((error: unknown) => log.warn({ err: error }, 'no notification could be sent'))
    })
  }

  const tell = async (
    changes: readonly ExecutionChange[],
    client: Pick<ServiceClient, 'getExecution'>,
  ): Promise<void> => {
    if (isSeen()) return
    const found = candidates(changes, rules())
    const isLookedUp = (index: number): boolean => index >= found.length - MOST_LOOKED_UP
    const knowsAllWaits = found.every(({ kind }, index) => kind !== 'waits' || isLookedUp(index))
    const notifications = await Promise.all(
      found.map(async (candidate, index) => {
        const needsMore = candidate.kind !== 'finished' && isLookedUp(index)
        const execution = needsMore ? await lookUp(client, candidate) : undefined
        const notice = notificationOf(candidate, execution)
        return notice && { ...notice, kind: candidate.kind }
      }),
    )
    const fresh = notifications.filter((one) => one !== undefined).filter(({ key }) => remember(key))
    for (const notice of coalesce(fresh, knowsAllWaits)) show(notice)
  }

  /** Whether the key is new. */
  const remember = (key: string): boolean => {
    if (told.has(key)) return false
    told.add(key)
    forgetOldest(told, TOLD_KEPT)
    return true
  }

  const read = async (client: WatchedClient, signal: AbortSignal): Promise<void> => {
    let looks = Promise.resolve()
    // One at a time, so that the last answer is the newest.
    const lookAtDisk = (): void => {
      looks = looks.then(async () => {
        const status = await client.getRuntime().catch(() => undefined)
        if (signal.aborted || status === undefined || status.diskIsFull === diskIsFull) return
        diskIsFull = status.diskIsFull
        tellTray()
      })
    }
    for await (const message of client.streamChanges({ signal, onOpen: lookAtDisk })) {
      if (message.kind === 'change') take(message.change, client)
      if (message.kind === 'runtime') lookAtDisk()
    }
  }

  return {
    failures: () => failures,
    diskIsFull: () => diskIsFull,
    onTrayFacts: (listener) => void listeners.push(listener),
    follow: (client) => {
      following?.abort()
      following = undefined
      diskIsFull = false
      if (client === undefined) return
      const { signal } = (following = new AbortController())
      read(client, signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'the changes of the runtime cannot be followed')
      })
    },
  }
}

/** Undefined if the Execution or the runtime is gone; the notification then has fewer details. */
const lookUp = async (
  client: Pick<ServiceClient, 'getExecution'>,
  { change }: Candidate,
): Promise<Execution | undefined> => {
  try {
    return await client.getExecution(change.executionId)
  } catch {
    return undefined
  }
}
