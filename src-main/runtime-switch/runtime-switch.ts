// Executes the actions of switch-machine.ts one after another, and reports their outcomes to it. Checks repeatedly, by
// its proof of identity, that the runtime is available.

import type { Logger } from 'pino'
import type { Cancel, Clock } from '../../src-runtime/shared/clock.ts'
import type { RuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import type { UpgradeProgress } from '../../src-runtime/shared/runtime.ts'
import type { Owner } from '../../src-runtime/identity/prove-identity.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import type { Attempt, Held } from './start-runtime.ts'
import { decide, INITIAL, type Foreign, type Ready, type SwitchAction, type SwitchEvent } from './switch-machine.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

export type RuntimeSwitch = {
  state(): RuntimeState
  onState(listener: (state: RuntimeState) => void): () => void
  /** They resolve once the state has settled, in whatever state. */
  start(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  /** The runtime that requests may be sent to: it is available and has proven its identity. */
  target(): RuntimeInfo | undefined
  /** The port of the runtime, or of another one that has taken its port: the user may open its page in a browser. */
  shownPort(): number | undefined
  /** Checks the runtime now, because a request failed. */
  lookNow(): void
  /** The machine woke from sleep. */
  resume(): void
  /** Permanently. Parks the app's own runtime; another process's runtime continues. */
  close(): Promise<void>
}

export type SwitchParts = {
  /** With the current settings. Rejects soon when it is aborted. */
  readonly attempt: (signal: AbortSignal, onUpgradeProgress: (progress: UpgradeProgress) => void) => Promise<Attempt>
  readonly proves: (owner: Owner) => Promise<boolean>
  readonly describeForeignPort: (taken: { readonly port: number; readonly isRefused: boolean }) => Promise<Foreign>
  readonly isPortFree: (port: number) => Promise<boolean>
  readonly clock: Clock
  readonly random: () => number
  readonly logLines: () => readonly string[]
  readonly log: Logger
}

const HEALTH_INTERVAL_MS = 2_000
const HEALTH_AGAIN_MS = 300
const PORT_INTERVAL_MS = 2_000
/** What uses the port leaves it for a moment when it starts again: then the port is still its own. */
const LOOKS_AT_FREE_PORT = 3
/** A runtime that does not answer may only be busy. */
const FAILURES = 3
const LONGEST_JITTER_MS = 1_000
/** The runtime stops within 5 s. */
const STOP_LIMIT_MS = 6_000

/** Nobody waits for it any more. */
const GIVEN_UP: SwitchEvent = { kind: 'start_failed', message: '', logLines: [], permanent: true }

export const createRuntimeSwitch = (parts: SwitchParts): RuntimeSwitch => {
  const { attempt, proves, describeForeignPort, isPortFree, clock, random, logLines, log } = parts
  const listeners = new Set<(state: RuntimeState) => void>()
  let model = INITIAL
  let held: Held | undefined
  let underWay: Promise<void> = Promise.resolve()
  let nextLook: Cancel | undefined
  let restart: Cancel | undefined
  let attempting = new AbortController()
  let failures = 0
  let looking = false
  let closed = false

  const dispatch = (event: SwitchEvent): void => {
    const before = model.state
    const decision = decide(model, event, clock.now())
    model = decision.model
    if (model.state.kind !== before.kind) entered(model.state)
    if (model.state !== before) for (const listener of listeners) listener(model.state)
    for (const action of decision.actions) act(action)
  }

  const entered = (state: RuntimeState): void => {
    restart?.()
    nextLook?.()
    failures = 0
    if (state.kind === 'ready') {
      lookLater(HEALTH_INTERVAL_MS)
      if (held?.owned === true) void awaitLoss(held)
    }
    if (state.kind === 'foreign') lookAtPortLater(state, 0)
    log.info({ state: state.kind }, 'the runtime switch')
  }

  const act = (action: SwitchAction): void => {
    if (action.kind === 'give_up') attempting.abort()
    else if (action.kind === 'restart_after') restart = clock.after(action.ms, () => dispatch({ kind: 'restart_due' }))
    else underWay = underWay.then(() => perform(action))
  }

  const perform = async (action: Exclude<SwitchAction, { kind: 'restart_after' | 'give_up' }>): Promise<void> => {
    if (action.kind !== 'start') {
      await letGo()
      return action.kind === 'stop' ? dispatch({ kind: 'stopped' }) : undefined
    }
    if (action.jittered) await new Promise<void>((resolve) => clock.after(random() * LONGEST_JITTER_MS, resolve))
    if (closed || model.state.kind !== 'starting') return dispatch(GIVEN_UP)
    dispatch(await outcome())
  }

  const outcome = async (): Promise<SwitchEvent> => {
    const { signal } = (attempting = new AbortController())
    try {
      const result = await attempt(signal, (progress) => dispatch({ kind: 'upgrading', progress }))
      if (result.kind === 'port_taken') return { kind: 'port_taken', foreign: await describeForeignPort(result) }
      if (result.kind === 'failed') {
        if (signal.aborted) return GIVEN_UP
        log.error({ reason: result.message }, 'the runtime could not be started')
        return { ...result, kind: 'start_failed', logLines: logLines() }
      }
      held = result.held
      return { kind: 'started', ready: readyState(held) }
    } catch (error) {
      if (signal.aborted) return GIVEN_UP
      log.error({ err: error }, 'the runtime could not be started')
      const message = messageOf(error)
      return { kind: 'start_failed', message, logLines: logLines(), permanent: false }
    }
  }

  const letGo = async (): Promise<void> => {
    const last = held
    held = undefined
    if (last?.owned !== true) return
    let late: Cancel | undefined
    const limit = new Promise<'late'>((resolve) => {
      late = clock.after(STOP_LIMIT_MS, () => resolve('late'))
    })
    const stopped = last.runtime
      .stop()
      .catch((error: unknown) => log.error({ err: error }, 'the stop of the runtime failed'))
    if ((await Promise.race([stopped, limit])) === 'late') log.error('the runtime did not stop in time')
    late?.()
  }

  const lookLater = (ms: number): void => {
    nextLook?.()
    nextLook = clock.after(ms, () => void look())
  }

  const look = async (): Promise<void> => {
    const looked = held
    if (looking || looked === undefined || model.state.kind !== 'ready') return
    looking = true
    const isThere = await proves(looked.info)
    looking = false
    if (held !== looked || model.state.kind !== 'ready') return
    failures = isThere ? 0 : failures + 1
    if (failures < FAILURES) return lookLater(isThere ? HEALTH_INTERVAL_MS : HEALTH_AGAIN_MS)
    log.error({ pid: looked.info.pid, port: looked.info.port }, 'the runtime does not answer')
    if (!looked.owned) held = undefined
    dispatch({ kind: 'lost', message: 'The runtime stopped answering.', logLines: logLines(), permanent: false })
  }

  /** `timesFree`: the looks before this one that found the port free, without one in between that did not. */
  const lookAtPortLater = (taken: Foreign, timesFree: number): void => {
    nextLook = clock.after(PORT_INTERVAL_MS, () => void lookAtPort(taken, timesFree))
  }

  const lookAtPort = async (taken: Foreign, timesFree: number): Promise<void> => {
    const isFree = await isPortFree(taken.port)
    if (model.state !== taken || closed) return
    const times = isFree ? timesFree + 1 : 0
    if (times === LOOKS_AT_FREE_PORT) dispatch({ kind: 'port_free' })
    else lookAtPortLater(taken, times)
  }

  /** A restart by itself would hide from the user that all data is gone. */
  const awaitLoss = async (owned: Extract<Held, { owned: true }>): Promise<void> => {
    const message = await owned.runtime.dataLost
    if (held !== owned) return
    log.error(message)
    dispatch({ kind: 'lost', message, logLines: logLines(), permanent: true })
  }

  const settled = async (): Promise<void> => {
    while (model.state.kind === 'starting' || model.state.kind === 'stopping') {
      const last = underWay
      await last
      if (last === underWay) return
    }
  }

  const ask = (kind: 'start_asked' | 'stop_asked' | 'restart_asked') => (): Promise<void> => {
    if (!closed) dispatch({ kind })
    return settled()
  }

  return {
    state: () => model.state,
    onState: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    start: ask('start_asked'),
    stop: ask('stop_asked'),
    restart: ask('restart_asked'),
    target: () => (model.state.kind === 'ready' ? held?.info : undefined),
    shownPort: () => {
      const { state } = model
      if (state.kind === 'foreign') return state.runtime === null ? undefined : state.port
      return state.kind === 'ready' ? state.port : undefined
    },
    lookNow: () => void look(),
    resume: () => {
      if (held?.owned === true) held.runtime.resume()
      void look()
    },
    close: async () => {
      dispatch({ kind: 'stop_asked' })
      closed = true
      restart?.()
      nextLook?.()
      await settled()
      await underWay
    },
  }
}

const readyState = ({ owned, info }: Held): Ready => ({
  kind: 'ready',
  url: `http://localhost:${info.port}`,
  port: info.port,
  pid: info.pid,
  owned,
  // Without a project, a runtime uses its data directory as the project.
  projectFolder: info.projectFolder === info.dataDir ? null : info.projectFolder,
})
