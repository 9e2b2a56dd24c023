import { describe, expect, it } from 'vitest'
import type { Update, UpdateState } from '../preload/desktop-api.ts'
import { decide, initialModel, installable, type UpdateEvent, type UpdateModel } from './update-machine.ts'

const UPDATE: Update = { version: '0.2.0', bytes: 1_000, releasedAt: null, notes: null }
const DOWNLOADING: UpdateState = {
  kind: 'downloading',
  update: UPDATE,
  receivedBytes: 0,
  totalBytes: 0,
  bytesPerSecond: 0,
}
const READY: UpdateState = { kind: 'ready', update: UPDATE, installsOnQuit: false }
const failed = (during: 'check' | 'download' | 'install'): UpdateState => ({
  kind: 'failed',
  during,
  problem: 'no',
  update: during === 'check' ? null : UPDATE,
})
const STATES: readonly UpdateState[] = [
  { kind: 'off', reason: 'no' },
  { kind: 'idle' },
  { kind: 'checking' },
  { kind: 'none', newest: '0.1.0' },
  { kind: 'available', update: UPDATE },
  DOWNLOADING,
  READY,
  { kind: 'restarting', update: UPDATE },
  failed('check'),
  failed('download'),
  failed('install'),
]
const EVENTS: readonly UpdateEvent[] = [
  { kind: 'check_asked', by: 'user' },
  { kind: 'check_asked', by: 'schedule' },
  { kind: 'channel_changed' },
  { kind: 'download_asked' },
  { kind: 'cancel_asked' },
  { kind: 'checked', newest: '0.2.0', update: UPDATE },
  { kind: 'check_failed', problem: 'no' },
  { kind: 'progress', receivedBytes: 1, totalBytes: 2, bytesPerSecond: 3 },
  { kind: 'downloaded' },
  { kind: 'download_failed', problem: 'no' },
  { kind: 'restart_confirmed' },
  { kind: 'install_on_quit_chosen' },
  { kind: 'install_failed', problem: 'no' },
]

/** The states and all actions after these events. */
const play = (from: UpdateState, ...events: readonly UpdateEvent[]) => {
  let model: UpdateModel = initialModel(from)
  const actions: string[] = []
  for (const event of events) {
    const decision = decide(model, event)
    model = decision.model
    actions.push(...decision.actions)
  }
  return { state: model.state, quietProblem: model.quietProblem, actions }
}
const kinds = (event: UpdateEvent) => STATES.map((state) => play(state, event).state.kind)

describe('the state of updates', () => {
  it('goes from a check to the restart, by the user’s decisions', () => {
    const { state, actions } = play(
      { kind: 'idle' },
      { kind: 'check_asked', by: 'user' },
      { kind: 'checked', newest: '0.2.0', update: UPDATE },
      { kind: 'download_asked' },
      { kind: 'progress', receivedBytes: 500, totalBytes: 1_000, bytesPerSecond: 10 },
      { kind: 'downloaded' },
      { kind: 'restart_confirmed' },
    )
    expect(state).toEqual({ kind: 'restarting', update: UPDATE })
    expect(actions).toEqual(['check', 'download', 'restart'])
  })

  it('loads only after the user asked for it, and restarts only after an answer', () => {
    const leadTo = (action: string) =>
      EVENTS.filter((event) => STATES.some((state) => play(state, event).actions.includes(action))).map(
        ({ kind }) => kind,
      )
    expect(leadTo('download')).toEqual(['download_asked'])
    expect(leadTo('restart')).toEqual(['restart_confirmed'])
    expect(leadTo('prepare_install_on_quit')).toEqual(['install_on_quit_chosen'])
  })

  it('stays off', () => {
    for (const event of EVENTS) expect(play(STATES[0]!, event)).toMatchObject({ state: STATES[0], actions: [] })
  })

  it('is checked from anywhere but where the user has decided more', () => {
    const same = ['off', 'checking', 'checking', 'checking', 'checking', 'downloading', 'ready', 'restarting']
    expect(kinds({ kind: 'check_asked', by: 'user' })).toEqual([...same, 'checking', 'checking', 'checking'])
    expect(kinds({ kind: 'check_asked', by: 'schedule' })).toEqual([...same, 'checking', 'failed', 'failed'])
  })

  it('says quietly that a check failed that nobody asked for, and keeps what it knew', () => {
    const available: UpdateState = { kind: 'available', update: UPDATE }
    const events: readonly UpdateEvent[] = [
      { kind: 'check_asked', by: 'schedule' },
      { kind: 'check_failed', problem: 'offline' },
    ]
    expect(play(available, ...events)).toMatchObject({ state: available, quietProblem: 'offline' })
    const later: UpdateEvent = { kind: 'checked', newest: '0.1.0', update: null }
    expect(play(available, ...events, events[0]!, later)).toMatchObject({
      state: { kind: 'none', newest: '0.1.0' },
      quietProblem: null,
    })
  })

  it('says aloud that a check failed that the user asked for, also while it ran', () => {
    const problem: UpdateEvent = { kind: 'check_failed', problem: 'offline' }
    const byUser: UpdateEvent = { kind: 'check_asked', by: 'user' }
    expect(play({ kind: 'idle' }, byUser, problem).state).toMatchObject({ kind: 'failed', problem: 'offline' })
    const joined = play({ kind: 'idle' }, { kind: 'check_asked', by: 'schedule' }, byUser, problem)
    expect(joined).toMatchObject({ state: { kind: 'failed', during: 'check' }, actions: ['check'] })
  })

  it('returns to the offer when a download is cancelled, and loads again when asked', () => {
    const cancelled = play(DOWNLOADING, { kind: 'cancel_asked' })
    expect(cancelled).toMatchObject({ state: { kind: 'available', update: UPDATE }, actions: ['cancel_download'] })
    const again = play(DOWNLOADING, { kind: 'download_failed', problem: 'no' }, { kind: 'download_asked' })
    expect(again).toMatchObject({ state: DOWNLOADING, actions: ['download'] })
  })

  it('forgets what was found when the channel changes, and checks the other one', () => {
    expect(play(READY, { kind: 'channel_changed' })).toMatchObject({ state: { kind: 'checking' }, actions: ['check'] })
    expect(play(DOWNLOADING, { kind: 'channel_changed' }).actions).toEqual(['cancel_download', 'check'])
    expect(kinds({ kind: 'channel_changed' }).filter((kind) => kind !== 'checking')).toEqual(['off', 'restarting'])
  })

  it('can be installed when it is loaded, and again after an install failed', () => {
    expect(STATES.filter((state) => installable(state) !== null)).toEqual([READY, failed('install')])
    expect(play(READY, { kind: 'install_on_quit_chosen' })).toMatchObject({
      state: { ...READY, installsOnQuit: true },
      actions: ['prepare_install_on_quit'],
    })
    const stayed = play(READY, { kind: 'restart_confirmed' }, { kind: 'install_failed', problem: 'no' })
    expect(stayed.state).toEqual(failed('install'))
  })
})
