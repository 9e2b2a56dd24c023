import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { decide, INITIAL, type Foreign, type Ready, type SwitchAction, type SwitchEvent } from './switch-machine.ts'

const T0 = Date.parse('2026-11-20T12:00:00.000Z')
const OWN: Ready = { kind: 'ready', url: 'http://localhost:3477', port: 3477, pid: 1, owned: true, projectFolder: null }
const ADOPTED: Ready = { ...OWN, owned: false, pid: 2 }
const FOREIGN: Foreign = {
  kind: 'foreign',
  port: 3477,
  holder: null,
  isReserved: false,
  runtime: null,
  suggestedPort: 3478,
  environmentLine: 'A=b',
}
const START: SwitchEvent = { kind: 'start_asked' }
const STOP: SwitchEvent = { kind: 'stop_asked' }
const RESTART: SwitchEvent = { kind: 'restart_asked' }
const LOST: SwitchEvent = { kind: 'lost', message: 'gone', logLines: ['a'], permanent: false }
const STOPPED: SwitchEvent = { kind: 'stopped' }
const DUE: SwitchEvent = { kind: 'restart_due' }
const FAILED: SwitchEvent = { kind: 'start_failed', message: 'no', logLines: [], permanent: false }
const TAKEN: SwitchEvent = { kind: 'port_taken', foreign: FOREIGN }
const FREE: SwitchEvent = { kind: 'port_free' }
const started = (ready: Ready): SwitchEvent => ({ kind: 'started', ready })

/** What became of it, a second between any two events. */
const after = (...events: readonly SwitchEvent[]) => {
  let model = INITIAL
  let actions: readonly SwitchAction[] = []
  events.forEach((event, index) => {
    ;({ model, actions } = decide(model, event, T0 + index * 1_000))
  })
  return { state: model.state, actions: actions.map(({ kind }) => kind), all: actions }
}
const kinds = (...events: readonly SwitchEvent[]): readonly [RuntimeState['kind'], ...string[]] => {
  const { state, actions } = after(...events)
  return [state.kind, ...actions]
}

describe('the runtime switch', () => {
  it('starts and stops its own runtime', () => {
    expect(kinds(START)).toEqual(['starting', 'start'])
    expect(after(START, started(OWN)).state).toEqual(OWN)
    expect(kinds(START, started(OWN), STOP)).toEqual(['stopping', 'stop'])
    expect(kinds(START, started(OWN), STOP, STOPPED)).toEqual(['stopped'])
  })

  it('starts once for several requests', () => {
    expect(kinds(START, START)).toEqual(['starting'])
    expect(kinds(START, started(OWN), START)).toEqual(['ready'])
    expect(kinds(START, RESTART)).toEqual(['starting'])
  })

  it('stops before it restarts', () => {
    expect(kinds(START, started(OWN), RESTART)).toEqual(['stopping', 'stop'])
    expect(kinds(START, started(OWN), RESTART, STOPPED)).toEqual(['starting', 'start'])
    expect(kinds(START, started(OWN), STOP, START, STOPPED)).toEqual(['starting', 'start'])
    expect(kinds(START, started(OWN), RESTART, STOP, STOPPED)).toEqual(['stopped'])
    expect(kinds(RESTART)).toEqual(['starting', 'start'])
  })

  it('restarts after a running start, which may have begun with other settings', () => {
    expect(kinds(START, RESTART, started(OWN))).toEqual(['stopping', 'stop'])
    expect(kinds(START, RESTART, started(OWN), STOPPED)).toEqual(['starting', 'start'])
    expect(kinds(START, RESTART, started(OWN), STOPPED, started(OWN))).toEqual(['ready'])
    expect(kinds(START, RESTART, FAILED)).toEqual(['starting', 'start'])
    expect(kinds(START, RESTART, TAKEN)).toEqual(['starting', 'start'])
    expect(kinds(START, RESTART, started(ADOPTED))).toEqual(['ready'])
    expect(kinds(START, RESTART, STOP, started(OWN), STOPPED)).toEqual(['stopped'])
  })

  it('gives a running start up, and waits for its end, before it stops', () => {
    expect(kinds(START, STOP)).toEqual(['stopping', 'give_up'])
    expect(kinds(START, STOP, started(OWN))).toEqual(['stopping', 'stop'])
    expect(kinds(START, STOP, FAILED)).toEqual(['stopped'])
    expect(kinds(START, STOP, TAKEN)).toEqual(['stopped'])
  })

  it('tells how far the upgrade of the data is, only during a start', () => {
    const progress = { kind: 'copying', percent: 40 } as const
    const upgrading = { kind: 'upgrading', progress } as const
    expect(after(START, upgrading).state).toMatchObject({ kind: 'starting', upgrade: progress })
    expect(kinds(START, upgrading, started(OWN))).toEqual(['ready'])
    expect(after(START, STOP, upgrading).state).not.toHaveProperty('upgrade')
    expect(after(upgrading).state).toEqual({ kind: 'stopped' })
    expect(after(START, upgrading, RESTART, FAILED).state).not.toHaveProperty('upgrade')
  })

  it('detaches from another process’s runtime without stopping it', () => {
    expect(kinds(START, started(ADOPTED), STOP)).toEqual(['stopped'])
    expect(kinds(START, started(ADOPTED), RESTART)).toEqual(['ready'])
  })

  it('starts its own runtime when the one that it was attached to ends, or stops', () => {
    const { state, all } = after(START, started(ADOPTED), LOST)
    expect([state.kind, all]).toEqual(['starting', [{ kind: 'start', jittered: true }]])
    expect(after(START, started(ADOPTED), LOST, started(OWN)).state).toEqual(OWN)
  })

  it('says why it cannot take over from another process’s runtime, and tries again', () => {
    // The process may only be suspended, or may be another one that needs long to start.
    const { state, actions } = after(START, started(ADOPTED), LOST, FAILED)
    expect(state).toMatchObject({ kind: 'crashed', message: 'No.', restartsAt: '2026-11-20T12:00:04.000Z' })
    expect(actions).toEqual(['restart_after'])
    expect(after(START, started(ADOPTED), LOST, FAILED, DUE, started(ADOPTED)).state).toEqual(ADOPTED)
  })

  it('keeps trying to start while that fails, as on a full disk, or while a process that does not answer has the data', () => {
    let model = { ...INITIAL, state: after(START, started(ADOPTED), LOST).state }
    const pauses = [0, 5_000, 11_000, 19_000, 53_000].map((at) => {
      const failed = decide(model, FAILED, T0 + at)
      model = decide(failed.model, DUE, T0 + at).model
      return failed.actions
    })
    expect(pauses.flat()).toMatchObject([1_000, 2_000, 4_000, 30_000, 30_000].map((ms) => ({ ms })))
  })

  it('reports the process on the port, and retries on request', () => {
    expect(after(START, TAKEN).state).toEqual(FOREIGN)
    expect(kinds(START, TAKEN, START)).toEqual(['starting', 'start'])
    expect(kinds(START, TAKEN, STOP)).toEqual(['stopped'])
  })

  it('takes the end of a start for nothing once the runtime is there', () => {
    expect(after(START, started(OWN), TAKEN).state).toEqual(OWN)
    expect(after(START, started(OWN), FAILED).state).toEqual(OWN)
  })

  it('starts once the taken port is free, unless the user has stopped it', () => {
    expect(kinds(START, TAKEN, FREE)).toEqual(['starting', 'start'])
    expect(kinds(START, TAKEN, START, FREE)).toEqual(['starting'])
    expect(kinds(START, TAKEN, STOP, FREE)).toEqual(['stopped'])
  })

  it('shows a crash with its log, and restarts', () => {
    const { state, all } = after(START, started(OWN), LOST)
    expect(state).toEqual({
      kind: 'crashed',
      message: 'Gone.',
      logLines: ['a'],
      restartsAt: '2026-11-20T12:00:03.000Z',
    })
    expect(all).toEqual([{ kind: 'clear' }, { kind: 'restart_after', ms: 1_000 }])
    expect(kinds(START, started(OWN), LOST, DUE)).toEqual(['starting', 'start'])
  })

  it('restarts at most three times a minute', () => {
    const crash = [started(OWN), LOST, DUE] as const
    const { state, actions } = after(START, ...crash, ...crash, ...crash, started(OWN), LOST)
    expect([state.kind, state.kind === 'crashed' && state.restartsAt]).toEqual(['crashed', null])
    expect(actions).toEqual(['clear'])
    expect(kinds(START, ...crash, ...crash, ...crash, started(OWN), LOST, DUE)).toEqual(['crashed'])
  })

  it('forgets crashes that are older than a minute, or that the user has seen', () => {
    let model = INITIAL
    for (const at of [0, 20_000, 40_000, 61_000]) {
      model = decide({ ...model, state: OWN }, LOST, T0 + at).model
      expect(model.state).toMatchObject({ restartsAt: expect.any(String) as string })
    }
    expect(decide({ ...model, state: OWN }, LOST, T0 + 62_000).model.state).toMatchObject({ restartsAt: null })
    const asked = decide(model, START, T0 + 62_000).model
    expect(decide({ ...asked, state: OWN }, LOST, T0 + 63_000).model.state).toMatchObject({
      restartsAt: expect.any(String) as string,
    })
  })

  it('forgets crashes of a time that has not come yet, because the clock was set back', () => {
    let model = INITIAL
    for (const at of [0, 1_000, 2_000]) model = decide({ ...model, state: OWN }, LOST, T0 + at).model
    expect(decide({ ...model, state: OWN }, LOST, T0 - 3_600_000).model.state).toMatchObject({
      restartsAt: expect.any(String) as string,
    })
  })

  it('does not retry a permanent failure', () => {
    const { state, actions } = after(START, { ...FAILED, permanent: true })
    expect([state, actions]).toEqual([{ kind: 'crashed', message: 'No.', logLines: [], restartsAt: null }, []])
    expect(kinds(START, FAILED)).toEqual(['crashed', 'restart_after'])
  })

  it('cancels a restart when it is stopped', () => {
    expect(kinds(START, started(OWN), LOST, STOP, DUE)).toEqual(['stopped'])
  })

  it('never has two starts, or a start and a stop, at the same time', () => {
    const events = [START, STOP, RESTART, LOST, DUE, started(OWN), started(ADOPTED), FAILED, TAKEN, FREE, STOPPED]
    const outcomes = new Set<SwitchEvent['kind']>(['started', 'start_failed', 'port_taken'])
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 60 }), (sequence) => {
        let model = INITIAL
        let underWay: 'start' | 'stop' | undefined
        for (const [index, event] of sequence.entries()) {
          // Outcomes come of what is under way, and of nothing else.
          if (outcomes.has(event.kind) && underWay !== 'start') continue
          if (event.kind === 'stopped' && underWay !== 'stop') continue
          if (outcomes.has(event.kind) || event.kind === 'stopped') underWay = undefined
          const decision = decide(model, event, T0 + index * 100)
          model = decision.model
          for (const { kind } of decision.actions) {
            if (kind !== 'start' && kind !== 'stop') continue
            expect(underWay).toBeUndefined()
            underWay = kind
          }
          if (underWay === 'start') expect(['starting', 'stopping']).toContain(model.state.kind)
          if (underWay === 'stop') expect(model.state.kind).toBe('stopping')
          if (underWay === undefined) expect(['starting', 'stopping']).not.toContain(model.state.kind)
        }
      }),
    )
  })
})
