import { describe, expect, it } from 'vitest'
import { labelOf, outcomeText } from '../timeline/bars.ts'
import { attemptBefore, commandsBehind } from './commands.ts'
import { golden, journalOf, START, written } from './journals.test-support.ts'

const commandsOf = (...entries: Parameters<typeof written>) => journalOf(written(...entries)).commands

describe('the outcomes of commands', () => {
  it('separate fired timers, timers rejected by a cancel, and later ones', () => {
    const { commands } = journalOf(golden('refund-saga-cancelled'))
    expect(commands.map(({ number, kind, outcome }) => `${number} ${kind} ${outcome}`)).toEqual([
      '1 timer fired',
      '2 timer fired',
      '3 timer fired',
      '4 wait cancelled',
      '5 timer fired',
      '6 timer fired',
      '7 timer fired',
    ])
  })

  it('separate waits that lost a race, timed out, or were open at the end', () => {
    const { commands } = journalOf(golden('clock-random-and-races'))
    expect(commands.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`)).toEqual([
      'wait never timed out',
      'wait a delivered',
      'wait b delivered',
      'timer  dropped',
      'wait a delivered',
      'effect missing failed',
    ])
    expect(commands[5]?.attempts).toMatchObject([{ number: 1, outcome: 'failed', position: 12 }])
  })

  it('keep each attempt of an effect with its error, and the time of the next', () => {
    const error = (message: string) => ({ error: { code: 'effect_failed', message } })
    const retry = (message: string, nextMs: number) => ({
      ...error(message),
      nextAttemptAt: new Date(START + nextMs).toISOString(),
    })
    const [command] = commandsOf(
      { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge', data: { input: 1 } },
      { afterMs: 100, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: retry('busy', 600) },
      {
        afterMs: 700,
        type: 'effect_attempt_failed',
        command: 1,
        name: 'charge',
        attempt: 2,
        data: retry('gone', 1_700),
      },
      { afterMs: 1_900, type: 'effect_completed', command: 1, name: 'charge', attempt: 3, data: { result: 'ok' } },
    )
    expect(command).toMatchObject({ outcome: 'completed', from: START, to: START + 1_900, position: 1, endPosition: 4 })
    expect(command?.attempts).toEqual([
      { number: 1, from: START, to: START + 100, outcome: 'failed', position: 2, error: 'busy', retryAt: START + 600 },
      {
        number: 2,
        from: START + 600,
        to: START + 700,
        outcome: 'failed',
        position: 3,
        error: 'gone',
        retryAt: START + 1_700,
      },
      { number: 3, from: START + 1_700, to: START + 1_900, outcome: 'completed', position: 4 },
    ])
  })

  it('contain the error of the previous attempt while an effect is retried', () => {
    const failed = { error: { message: 'busy' }, nextAttemptAt: new Date(START + 600).toISOString() }
    const commands = commandsOf(
      { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge' },
      { afterMs: 100, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: failed },
    )
    const awaiting = (name: string, attempt: number) =>
      attemptBefore(commandsBehind(commands, [{ kind: 'effect', name, attempt }])[0])?.error
    expect(awaiting('charge', 2)).toBe('busy')
    expect(awaiting('charge', 1)).toBeUndefined()
    expect(awaiting('other', 2)).toBeUndefined()
    expect(awaiting('charge', 3), 'the history is behind by an attempt').toBe('busy')
  })

  it('contain no attempt that a cancel prevented', () => {
    const nextAttemptAt = new Date(START + 60_000).toISOString()
    const [command] = commandsOf(
      { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge' },
      { afterMs: 5, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: { nextAttemptAt } },
      { afterMs: 9, type: 'cancel_requested' },
    )
    expect(command).toMatchObject({ outcome: 'cancelled', to: START + 9 })
    expect(command?.attempts.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual(['1 failed'])
  })

  it('are replaced, not changed, so that earlier reads stay valid', () => {
    const [started, failed] = written(
      { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge' },
      { afterMs: 5, type: 'effect_failed', command: 1, name: 'charge', attempt: 1, data: { error: { message: 'no' } } },
    )
    const journal = journalOf([started!])
    const before = journal.commands[0]
    journal.append([started!, failed!], null)
    expect(before?.outcome).toBe('open')
    expect(journal.commands[0]?.outcome).toBe('failed')
  })

  it('ignore the end of an unknown command', () => {
    expect(commandsOf({ afterMs: 0, type: 'timer_fired', command: 9 }, { afterMs: 1, type: 'timer_fired' })).toEqual([])
  })

  it('are found for waits, each once', () => {
    const due = (ms: number) => new Date(START + ms).toISOString()
    const commands = commandsOf(
      { afterMs: 0, type: 'timer_scheduled', command: 1, data: { wakeAt: due(50) } },
      { afterMs: 0, type: 'timer_scheduled', command: 2, data: { wakeAt: due(50) } },
      { afterMs: 0, type: 'wait_scheduled', command: 3, name: 'approved', data: { timeoutAt: due(90) } },
      { afterMs: 0, type: 'wait_scheduled', command: 4, name: 'approved' },
    )
    const behind = commandsBehind(commands, [
      { kind: 'event', name: 'approved', since: due(0) },
      { kind: 'event', name: 'approved', since: due(0), timeoutAt: due(90) },
      { kind: 'timer', wakeAt: due(50) },
      { kind: 'timer', wakeAt: due(50) },
      { kind: 'timer', wakeAt: due(51) },
    ])
    expect(behind.map((command) => command?.number)).toEqual([4, 3, 1, 2, undefined])
  })

  it('mark early ones', () => {
    const [timer] = commandsOf(
      { afterMs: 0, type: 'timer_scheduled', command: 1, data: { wakeAt: new Date(START + 9_000).toISOString() } },
      { afterMs: 2_000, type: 'timer_fired', command: 1, data: { early: true } },
    )
    expect(timer?.early).toBe(true)
    expect(outcomeText(timer!, 0)).toBe('fired early after 2.0 s')
    expect(labelOf(timer!, 0)).toBe('2.0 s · early')
  })
})
