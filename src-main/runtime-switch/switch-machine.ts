// The state machine of the runtime switch, as a pure function: takes an event, returns the new state and actions. Uses
// no clock, process or port; runtime-switch.ts executes the actions.

import type { UpgradeProgress } from '../../src-runtime/shared/runtime.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'

export type SwitchModel = {
  readonly state: RuntimeState
  /** The stop, or the running start, is part of a restart: settings may have changed since that start began. */
  readonly startsAgain: boolean
  /** The times of crashes within the last minute, in ms. */
  readonly crashes: readonly number[]
}

export type Ready = Extract<RuntimeState, { kind: 'ready' }>
export type Foreign = Extract<RuntimeState, { kind: 'foreign' }>

export type SwitchEvent =
  | { readonly kind: 'start_asked' | 'stop_asked' | 'restart_asked' }
  /** During a start. */
  | { readonly kind: 'upgrading'; readonly progress: UpgradeProgress }
  /** The end of a start. */
  | { readonly kind: 'started'; readonly ready: Ready }
  | { readonly kind: 'port_taken'; readonly foreign: Foreign }
  /** Nothing uses the taken port any more, and it was not just for a moment. */
  | { readonly kind: 'port_free' }
  /** `permanent`: another attempt would fail too. */
  | {
      readonly kind: 'start_failed'
      readonly message: string
      readonly logLines: readonly string[]
      readonly permanent: boolean
    }
  /** The runtime stopped answering, or its data is gone. `permanent`: no restart without the user. */
  | {
      readonly kind: 'lost'
      readonly message: string
      readonly logLines: readonly string[]
      readonly permanent: boolean
    }
  | { readonly kind: 'stopped' }
  /** A restart is due. */
  | { readonly kind: 'restart_due' }

export type SwitchAction =
  /** Ends in `started`, `port_taken` or `start_failed`. `jittered`: other apps may start at the same moment. */
  | { readonly kind: 'start'; readonly jittered: boolean }
  /** Ends the running start, which then ends in `start_failed`, or in `started` if it was too late. */
  | { readonly kind: 'give_up' }
  /** Ends in `stopped`. */
  | { readonly kind: 'stop' }
  /** Releases what a crash left. */
  | { readonly kind: 'clear' }
  /** Leads to `restart_due`, unless another event comes first. */
  | { readonly kind: 'restart_after'; readonly ms: number }

export type Decision = { readonly model: SwitchModel; readonly actions: readonly SwitchAction[] }

export const INITIAL: SwitchModel = { state: { kind: 'stopped' }, startsAgain: false, crashes: [] }

const MINUTE_MS = 60_000
/** At most so many automatic restarts per minute, of a runtime that has started. */
const RESTART_AFTER_MS = [1_000, 2_000, 4_000]
/** One that has not: the disk gets room again, or the process that has the data answers or ends, at some time. */
const START_AFTER_MS = 30_000

export const decide = (model: SwitchModel, event: SwitchEvent, now: number): Decision => {
  switch (event.kind) {
    case 'start_asked':
    case 'restart_asked':
      return startAsked(model, event.kind === 'restart_asked', now)
    case 'stop_asked':
      return stopAsked(model, now)
    case 'upgrading':
      if (model.state.kind !== 'starting') return unchanged(model)
      return unchanged({ ...model, state: { ...model.state, upgrade: event.progress } })
    case 'started':
      return started(model, event.ready, now)
    case 'port_taken':
      if (model.state.kind === 'stopping') return stopped(model, now)
      if (model.state.kind !== 'starting') return unchanged(model)
      return model.startsAgain ? starting(model, now) : settle(model, event.foreign)
    case 'port_free':
      return model.state.kind === 'foreign' ? starting(model, now) : unchanged(model)
    case 'start_failed':
      if (model.state.kind === 'stopping') return stopped(model, now)
      if (model.state.kind !== 'starting') return unchanged(model)
      return model.startsAgain ? starting(model, now) : crashed(model, event, now)
    case 'lost':
      return lost(model, event, now)
    case 'stopped':
      return model.state.kind === 'stopping' ? stopped(model, now) : unchanged(model)
    case 'restart_due':
      return model.state.kind === 'crashed' && model.state.restartsAt !== null ? starting(model, now) : unchanged(model)
  }
}

const unchanged = (model: SwitchModel): Decision => ({ model, actions: [] })

const settle = (model: SwitchModel, state: RuntimeState): Decision => ({
  model: { ...model, state, startsAgain: false },
  actions: [],
})

const starting = (model: SwitchModel, now: number, jittered = false): Decision => ({
  model: { ...model, state: { kind: 'starting', since: iso(now) }, startsAgain: false },
  actions: [{ kind: 'start', jittered }],
})

const startAsked = (model: SwitchModel, again: boolean, now: number): Decision => {
  // The user has seen the earlier crashes, so they no longer count.
  const asked = { ...model, crashes: [] }
  switch (model.state.kind) {
    case 'stopped':
    case 'crashed':
    case 'foreign':
      return starting(asked, now)
    case 'stopping':
      return unchanged({ ...asked, startsAgain: true })
    case 'starting':
      return unchanged(again ? { ...asked, startsAgain: true } : model)
    case 'ready':
      return again && model.state.owned ? stopping({ ...asked, startsAgain: true }, now) : unchanged(model)
  }
}

const stopAsked = (model: SwitchModel, now: number): Decision => {
  const asked = { ...model, startsAgain: false }
  switch (model.state.kind) {
    case 'stopped':
    case 'stopping':
      return unchanged(asked)
    case 'crashed':
    case 'foreign':
      return settle(asked, { kind: 'stopped' })
    case 'starting':
      return { model: { ...asked, state: { kind: 'stopping', since: iso(now) } }, actions: [{ kind: 'give_up' }] }
    case 'ready':
      return model.state.owned ? stopping(asked, now) : settle(asked, { kind: 'stopped' })
  }
}

const stopping = (model: SwitchModel, now: number): Decision => ({
  model: { ...model, state: { kind: 'stopping', since: iso(now) } },
  actions: [{ kind: 'stop' }],
})

const stopped = (model: SwitchModel, now: number): Decision =>
  model.startsAgain ? starting(model, now) : settle(model, { kind: 'stopped' })

const started = (model: SwitchModel, ready: Ready, now: number): Decision => {
  if (model.state.kind === 'starting') {
    return model.startsAgain && ready.owned ? stopping(model, now) : settle(model, ready)
  }
  return model.state.kind === 'stopping' ? { model, actions: [{ kind: 'stop' }] } : unchanged(model)
}

const lost = (model: SwitchModel, event: Extract<SwitchEvent, { kind: 'lost' }>, now: number): Decision => {
  if (model.state.kind !== 'ready') return unchanged(model)
  if (!model.state.owned) return starting(model, now, true)
  const { model: after, actions } = crashed(model, event, now)
  return { model: after, actions: [{ kind: 'clear' }, ...actions] }
}

const crashed = (
  model: SwitchModel,
  { kind, message, logLines, permanent }: Extract<SwitchEvent, { kind: 'start_failed' | 'lost' }>,
  now: number,
): Decision => {
  // The clock may have been set back.
  const earlier = model.crashes.filter((at) => at <= now && now - at < MINUTE_MS)
  const again = RESTART_AFTER_MS[earlier.length] ?? (kind === 'start_failed' ? START_AFTER_MS : undefined)
  const restartMs = permanent ? undefined : again
  const restartsAt = restartMs === undefined ? null : iso(now + restartMs)
  return {
    model: {
      ...settle(model, { kind: 'crashed', message: sentence(message), logLines, restartsAt }).model,
      crashes: [...earlier, now],
    },
    actions: restartMs === undefined ? [] : [{ kind: 'restart_after', ms: restartMs }],
  }
}

/** On a command line, messages of the runtime follow its name. */
const sentence = (message: string): string =>
  message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?…]$/.test(message) ? '' : '.')

const iso = (at: number): string => new Date(at).toISOString()
