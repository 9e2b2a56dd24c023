import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createAloneLane } from './alone-lane.ts'
import { createHostLink } from './host-link.ts'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import type { ActivationResult } from './program-hosts.ts'
import { createSlowPrograms } from './slow-programs.ts'
import type { HostProcess } from './spawn-host.ts'
import { createTask } from './task.ts'

/** `waits`: its turn ran, and it waits. `long`: after a second. `replayed`: a part of its replay ran, and more parts follow. */
type End = 'waits' | 'long' | 'replayed' | 'image_missing'
type Sent = { readonly executionId: string; readonly host: number; readonly end: (how?: End) => void }

const resultOf = (sequence: number, how: End): readonly unknown[] =>
  how === 'image_missing'
    ? [sequence, how]
    : [sequence, 'ran', how === 'replayed' ? [] : [''], how === 'long' ? 1000 : 0]

/** A lane whose hosts run nothing; the test ends their turns. */
const createTestLane = () => {
  const sent: Sent[] = []
  const forgotten: { readonly host: number; readonly executionIds: readonly string[] }[] = []
  let hosts = 0
  const results: ActivationResult[] = []
  let kill = async (_reason: string): Promise<void> => {}
  const spawn = (): HostProcess => {
    const host = ++hosts
    const listeners: ((message: unknown) => void)[] = []
    const say = (message: unknown) => listeners.forEach((listener) => listener(message))
    const send: HostProcess['send'] = (message) => {
      if (message.kind === 'forget') forgotten.push({ host, executionIds: message.executionIds })
      if (message.kind !== 'run') return
      for (const [sequence, executionId] of message.batch) {
        const end = (how: End = 'waits') => say({ kind: 'results', running: 0, results: [resultOf(sequence, how)] })
        sent.push({ executionId, host, end })
      }
    }
    return {
      pid: 0,
      send,
      sendLarge: send,
      onMessage: (listener) => void listeners.push(listener),
      onExit: (listener) => {
        kill = async (reason) => {
          say({ kind: 'ready', slowness: 1 })
          listener(reason)
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
      kill: () => {},
    }
  }
  const slowPrograms = createSlowPrograms()
  const rules = { separatesReplay: true, isAnnounced: () => false }
  const lane = createAloneLane({
    startHost: (_role, events) => createHostLink(spawn(), () => ({ code: '' }), events, rules),
    limits: DEFAULT_POOL_LIMITS,
    slowPrograms,
    log: pino({ level: 'silent' }),
  })
  /** `expected`: of a turn that is replayed. */
  const submit = (tenant: string | undefined, programId: string, count = 1, expected?: readonly []): void => {
    for (let n = 1; n <= count; n += 1) {
      const activation = {
        ...{ executionId: `${tenant ?? ''} ${programId} ${n}`.trim(), programId, versionNumber: 1 },
        ...{ versionId: `${tenant ?? ''}/${programId}`, turnsDone: 1 },
        ...(tenant !== undefined && { tenant }),
        turns: [{ delivery: { kind: 'timer', at: 0, command: 1 } as const, ...(expected && { expected }) }],
      }
      lane.submit(
        createTask(
          activation,
          (result) => void results.push(result),
          () => {},
          () => {},
        ),
      )
    }
  }
  return {
    sent,
    slowPrograms,
    results,
    /** Ends the newest host. */
    kill: (reason: string) => kill(reason),
    forgotten,
    forget: lane.forget,
    ranLast: lane.ranLast,
    tick: lane.tick,
    submit,
    replay: (programId: string, count = 1) => submit(undefined, programId, count, []),
    running: () => sent.map(({ executionId }) => executionId),
  }
}

const PROGRAMS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']

test('a tenant with many slow Programs leaves hosts for another, which gets one at once', () => {
  const { submit, running } = createTestLane()
  for (const programId of PROGRAMS) submit('busy', programId)
  expect(running()).toEqual(['busy a 1', 'busy b 1', 'busy c 1', 'busy d 1'])
  for (const programId of PROGRAMS) submit('other', programId)
  submit('quiet', 'a')
  expect(running().slice(4)).toEqual(['other a 1', 'other b 1', 'quiet a 1'])
})

test('the host of one that has ended goes to the tenant that holds fewer', async () => {
  const { sent, submit, running } = createTestLane()
  for (const programId of PROGRAMS) submit('busy', programId)
  submit('quiet', 'a', 3)
  expect(running().slice(4)).toEqual(['quiet a 1'])
  sent[4]!.end()
  await Promise.resolve()
  expect(running().slice(5)).toEqual(['quiet a 2'])
})

test('without tenants, each of eight Programs has a host, and no Program has them all', () => {
  const one = createTestLane()
  for (const programId of PROGRAMS) one.submit(undefined, programId)
  expect(one.running()).toEqual(PROGRAMS.slice(0, 8).map((programId) => `${programId} 1`))
  const other = createTestLane()
  other.submit(undefined, 'a', 9)
  expect(other.running()).toEqual(['a 1', 'a 2', 'a 3'])
})

test('forgets an Execution in each host that may hold its image, and in no other', async () => {
  const { sent, forgotten, forget, submit } = createTestLane()
  submit(undefined, 'a')
  submit(undefined, 'b')
  sent[0]?.end()
  await new Promise((resolve) => setImmediate(resolve))
  submit(undefined, 'c')
  expect(sent.map(({ host }) => host)).toEqual([1, 2, 1])
  forget(['a 1', 'none'])
  expect(forgotten).toEqual([{ host: 1, executionIds: ['a 1'] }])
  forget(['a 1'])
  expect(forgotten).toHaveLength(1)
})

test('knows which Executions its hosts ran last, because their next turns continue there', async () => {
  const { sent, ranLast, submit } = createTestLane()
  submit(undefined, 'a')
  expect([ranLast('a 1'), ranLast('b 1')]).toEqual([true, false])
  sent[0]?.end()
  await new Promise((resolve) => setImmediate(resolve))
  submit(undefined, 'b')
  expect([ranLast('a 1'), ranLast('b 1')]).toEqual([false, true])
})

test('does not look for an image where it is gone', async () => {
  const { sent, ranLast, forget, submit } = createTestLane()
  submit(undefined, 'a')
  submit(undefined, 'b')
  forget(['a 1'])
  sent[1]?.end('image_missing')
  expect([ranLast('a 1'), ranLast('b 1')]).toEqual([false, false])
})

test('notes a long turn as slow, and neither a short one nor a replay', async () => {
  const { sent, replay, slowPrograms, submit } = createTestLane()
  submit(undefined, 'long')
  submit(undefined, 'waits')
  replay('replayed')
  const ends = ['long', 'waits', 'replayed'] as const
  for (const [index, end] of ends.entries()) sent[index]?.end(end)
  const code = (programId: string) => ({ executionId: `${programId} 1`, versionId: `/${programId}`, programId })
  expect(ends.map((end) => slowPrograms.runsAlone(code(end), false))).toEqual([true, false, false])
})

test('keeps a host for the next part of a replay, whoever else waits for one', async () => {
  const { sent, forget, replay, submit, tick, running } = createTestLane()
  replay('a', 3)
  submit(undefined, 'a', 5)
  sent[0]?.end('replayed')
  await new Promise((resolve) => setImmediate(resolve))
  expect(running()).toEqual(['a 1', 'a 2', 'a 3'])
  replay('a')
  expect(sent[3]).toMatchObject({ executionId: 'a 1', host: 1 })

  sent[3]?.end('waits')
  sent[1]?.end('replayed')
  sent[2]?.end('replayed')
  await new Promise((resolve) => setImmediate(resolve))
  expect(running().slice(4)).toEqual(['a 1'])
  forget(['a 2'])
  expect(running().slice(5)).toEqual(['a 2'])
  tick(200)
  expect(running()).toHaveLength(6)
  tick(100)
  expect(running().slice(6)).toEqual(['a 3'])
})

test('fails an Execution that ended its host twice, and never one whose host was killed from outside', async () => {
  const { kill, results, submit, tick } = createTestLane()
  const kinds = () => results.splice(0).map((result) => (result.kind === 'ran' ? result.turns : result.kind))
  const run = async (reason: string) => {
    submit(undefined, 'a')
    tick(5_000)
    await kill(reason)
  }
  for (let times = 0; times < 5; times += 1) await run('SIGKILL\nout of memory')
  await run('SIGSEGV')
  expect(kinds()).toEqual(Array(6).fill('image_missing'))
  await run('exit code 134')
  expect(kinds()).toMatchObject([[{ outcome: { kind: 'failed', error: { code: 'program_error' } } }]])
})
