// The state machine of updates, as a pure function: takes an event, returns the new state and actions. It downloads and
// restarts only after an event that says that the user agreed; updates.ts executes the actions.

import type { Update, UpdateState } from '../preload/desktop-api.ts'

export type UpdateModel = {
  readonly state: UpdateState
  /** What a check that nobody asked for returns to when it fails. */
  readonly before: UpdateState
  /** Whether the user asked for the running check. */
  readonly isAsked: boolean
  readonly quietProblem: string | null
}

export type UpdateEvent =
  | { readonly kind: 'check_asked'; readonly by: 'user' | 'schedule' }
  | { readonly kind: 'channel_changed' | 'download_asked' | 'cancel_asked' }
  /** The end of a check. `update`: null if the newest version is not newer than the app. */
  | { readonly kind: 'checked'; readonly newest: string; readonly update: Update | null }
  | { readonly kind: 'check_failed'; readonly problem: string }
  | {
      readonly kind: 'progress'
      readonly receivedBytes: number
      readonly totalBytes: number
      readonly bytesPerSecond: number
    }
  /** The end of a download. */
  | { readonly kind: 'downloaded' }
  | { readonly kind: 'download_failed'; readonly problem: string }
  /** The user's answer before a restart. */
  | { readonly kind: 'restart_confirmed' | 'install_on_quit_chosen' }
  | { readonly kind: 'install_failed'; readonly problem: string }

export type UpdateAction =
  /** Ends in `checked` or `check_failed`. It replaces what is under way. */
  | 'check'
  /** Ends in `downloaded` or `download_failed`, unless it is cancelled. */
  | 'download'
  | 'cancel_download'
  /** Ends the app, or leads to `install_failed`. */
  | 'restart'
  | 'prepare_install_on_quit'

export type Decision = { readonly model: UpdateModel; readonly actions: readonly UpdateAction[] }

export const initialModel = (state: UpdateState): UpdateModel => ({
  state,
  before: state,
  isAsked: false,
  quietProblem: null,
})

export const decide = (model: UpdateModel, event: UpdateEvent): Decision => {
  const { state } = model
  switch (event.kind) {
    case 'check_asked':
      return checkAsked(model, event.by === 'user')
    case 'channel_changed':
      return channelChanged(model)
    case 'checked':
      return state.kind === 'checking' ? settle({ ...model, quietProblem: null }, found(event)) : unchanged(model)
    case 'check_failed':
      return state.kind === 'checking' ? checkFailed(model, event.problem) : unchanged(model)
    case 'download_asked': {
      const update = downloadable(state)
      return update === null ? unchanged(model) : settle(model, beginning(update), 'download')
    }
    case 'cancel_asked':
      return state.kind === 'downloading'
        ? settle(model, { kind: 'available', update: state.update }, 'cancel_download')
        : unchanged(model)
    case 'progress': {
      const { kind: _, ...figures } = event
      return state.kind === 'downloading' ? settle(model, { ...state, ...figures }) : unchanged(model)
    }
    case 'downloaded':
      return state.kind === 'downloading'
        ? settle(model, { kind: 'ready', update: state.update, installsOnQuit: false })
        : unchanged(model)
    case 'download_failed':
      return state.kind === 'downloading' ? settle(model, failed('download', event.problem, state)) : unchanged(model)
    case 'restart_confirmed': {
      const update = installable(state)
      return update === null ? unchanged(model) : settle(model, { kind: 'restarting', update }, 'restart')
    }
    case 'install_on_quit_chosen': {
      const update = installable(state)
      if (update === null) return unchanged(model)
      return settle(model, { kind: 'ready', update, installsOnQuit: true }, 'prepare_install_on_quit')
    }
    case 'install_failed': {
      const isInstalling = state.kind === 'restarting' || state.kind === 'ready'
      return isInstalling ? settle(model, failed('install', event.problem, state)) : unchanged(model)
    }
  }
}

/** The update that a download would load; null if there is none to load. */
const downloadable = (state: UpdateState): Update | null => {
  if (state.kind === 'available') return state.update
  return state.kind === 'failed' && state.during === 'download' ? state.update : null
}

/** The downloaded update; null if there is none. */
export const installable = (state: UpdateState): Update | null => {
  if (state.kind === 'ready') return state.update
  return state.kind === 'failed' && state.during === 'install' ? state.update : null
}

const unchanged = (model: UpdateModel): Decision => ({ model, actions: [] })

const settle = (model: UpdateModel, state: UpdateState, ...actions: readonly UpdateAction[]): Decision => ({
  model: { ...model, state },
  actions,
})

const found = ({ newest, update }: Extract<UpdateEvent, { kind: 'checked' }>): UpdateState =>
  update === null ? { kind: 'none', newest } : { kind: 'available', update }

const beginning = (update: Update): UpdateState => ({
  kind: 'downloading',
  update,
  receivedBytes: 0,
  totalBytes: 0,
  bytesPerSecond: 0,
})

const failed = (
  during: 'download' | 'install',
  problem: string,
  { update }: { readonly update: Update },
): UpdateState => ({ kind: 'failed', during, problem, update })

const checkAsked = (model: UpdateModel, isAsked: boolean): Decision => {
  switch (model.state.kind) {
    case 'off':
    case 'downloading':
    case 'ready':
    case 'restarting':
      return unchanged(model)
    case 'checking':
      return unchanged({ ...model, isAsked: model.isAsked || isAsked })
    case 'idle':
    case 'none':
    case 'available':
      return checking(model, isAsked)
    case 'failed':
      // What the user has not answered yet stays on screen.
      return isAsked || model.state.during === 'check' ? checking(model, isAsked) : unchanged(model)
  }
}

/** What was found or loaded is of the other channel. */
const channelChanged = (model: UpdateModel): Decision => {
  const { kind } = model.state
  if (kind === 'off' || kind === 'restarting') return unchanged(model)
  const { model: next, actions } = checking({ ...model, state: { kind: 'idle' } }, true)
  return { model: next, actions: kind === 'downloading' ? ['cancel_download', ...actions] : actions }
}

const checking = (model: UpdateModel, isAsked: boolean): Decision => ({
  model: { ...model, state: { kind: 'checking' }, before: model.state, isAsked },
  actions: ['check'],
})

const checkFailed = (model: UpdateModel, problem: string): Decision =>
  model.isAsked
    ? settle({ ...model, quietProblem: null }, { kind: 'failed', during: 'check', problem, update: null })
    : settle({ ...model, quietProblem: problem }, model.before)
