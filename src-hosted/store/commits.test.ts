// Turns that end at the same moment share a transaction. None of them may be able to tell.

import { expect, it } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import type { CommittedTurns } from './store.ts'

const rig = hostedRig()

const waitsFor = (at: number): Change => {
  const options = { retry: { maxAttempts: 3 }, timeoutMs: 10 }
  return {
    entries: [
      { at, type: 'log', data: '{"message":"\\"quoted\\" \\u0000"}' },
      { at, type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' },
      { at, type: 'timer_scheduled', command: 2, data: '{}' },
      { at, type: 'wait_scheduled', command: 3, name: 'paid\0', data: '{}' },
    ],
    opened: [
      { kind: 'effect', command: 1, name: 'charge', since: at, attempt: 1, options },
      { kind: 'timer', command: 2, since: at, dueAt: at + 1_000 },
      { kind: 'event', command: 3, name: 'paid\0', since: at },
    ],
    ...{ turns: 1, lastCommand: 3, status: 'waiting', startedAt: at, label: 'a\0"b' },
  }
}

/** The second turn takes an event and the effect's result, and opens one more timer. */
const goesOn = (at: number): Change => ({
  entries: [
    { at, type: 'event_delivered', command: 3, name: 'paid\0', source: 6 },
    { at, type: 'effect_completed', command: 1, name: 'charge', attempt: 1, data: '{"result":1}' },
    { at, type: 'timer_scheduled', command: 4, data: '{}' },
  ],
  opened: [{ kind: 'timer', command: 4, since: at, dueAt: at + 2_000 }],
  ...{ closed: [1, 3], consumed: [6], turns: 2, lastCommand: 4, status: 'waiting' },
})

/** Another second turn, which leaves what `goesOn` takes, and takes what that leaves. */
const fires = (at: number): Change => ({
  entries: [{ at, type: 'timer_fired', command: 2, data: '{}' }],
  ...{ closed: [2], turns: 2, status: 'waiting' },
})

const ends = (at: number): Change => ({
  entries: [{ at, type: 'execution_completed', data: '{"result":{"n":1}}' }],
  ...{ closed: 'all', consumed: 'all', turns: 3, status: 'completed', finishedAt: at },
})

const fails = (at: number): Change => ({
  entries: [{ at, type: 'execution_failed', data: '{}' }],
  error: { code: 'program_error', message: 'No money' },
  ...{ closed: 'all', consumed: 'all', turns: 3, status: 'failed', finishedAt: at },
})

const startAll = async ({ deploy, start }: WorkspaceRig, count: number): Promise<readonly ExecutionHead[]> => {
  await deploy('order')
  return Promise.all(Array.from({ length: count }, () => start('order', { createdAt: 1 })))
}

/** What is stored of an Execution, but for what differs between any two. */
const stored = async ({ store }: WorkspaceRig, { key }: ExecutionHead, wakeAt: number) => {
  const { id: _, key: __, createdAt: ___, ...head } = (await store.executions.head(key))!
  const of = (select: string) => rig.sql<object>(select, [key])
  return {
    head,
    row: await of(
      `SELECT wake_at = ${wakeAt} AS wakes, last_invocation, stirred, error FROM executions WHERE key = $1`,
    ),
    pending: await of(`SELECT command, kind, name, since, due_at, attempt, position, options, performer
      FROM pending WHERE execution = $1 ORDER BY command`),
    inbox: await of('SELECT position FROM inbox WHERE execution = $1'),
    outcomes: await of('SELECT command FROM outcomes WHERE execution = $1'),
    changes: await of('SELECT was, status, version FROM changes WHERE execution = $1 ORDER BY seq'),
    entries: (await store.journal.page(key, 0, 20)).items.map(({ type, command, name, data, source, attempt }) => ({
      ...{ type, command, name, source, attempt },
      data: type === 'event_received' ? undefined : data,
    })),
  }
}

it('stores together what it stores alone', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 12)
  const [alone, together] = [heads.slice(0, 6), heads.slice(6)]
  const at = rig.store.now()
  // Later than the test may take: an event wakes only who sleeps.
  const wakeAt = at + 3_600_000
  const commit = (change: Change, more: Partial<CommittedTurns> = {}, unseen = 0) => {
    return async ({ id }: ExecutionHead) => {
      const seen = await workspace.seen(id)
      const turns = { change, wakeAt, invocation: 'inv', ...more }
      return rig.store.engine.commit({ ...seen, stirred: seen.stirred - unseen }, turns)
    }
  }
  const send = ({ key }: ExecutionHead) => workspace.accept.receive(key, { id: 'evt', name: 'paid\0', payload: '1' })
  const begun = { performer: 'here', commands: new Set([1]) }
  const turns: readonly ((head: ExecutionHead) => Promise<object>)[] = [
    commit(waitsFor(at), { begun, computeMs: 1.6 }),
    send,
    ({ id }) => rig.store.engine.outcome({ executionId: id, command: 1, attempt: 1 }, { kind: 'result', data: '1' }),
    // The effect's result came after it had looked: somebody has to look again.
    (head) => {
      const change = head === alone[1] || head === together[1] ? fires(at) : goesOn(at)
      return commit(change, { wakeAt: undefined }, 1)(head)
    },
    send,
    (head) => commit(head === alone[0] || head === together[0] ? fails(at) : ends(at))(head),
  ]
  for (const turn of turns) {
    const answersAlone: object[] = []
    for (const head of alone) answersAlone.push(await turn(head))
    const answers = await Promise.all(together.map(turn))
    const timeless = (all: readonly object[]) => all.map((one) => ({ ...one, now: 0, receivedAt: 0, executionId: '' }))
    expect(timeless(answers)).toEqual(timeless(answersAlone))
    for (const [index, head] of together.entries()) {
      expect(await stored(workspace, head, wakeAt)).toEqual(await stored(workspace, alone[index]!, wakeAt))
    }
  }
})

it('takes few transactions for many commits', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 30)
  const at = rig.store.now()
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const commitAll = () =>
    Promise.all(seen.map((one) => rig.store.engine.commit(one, { change: waitsFor(at), wakeAt: undefined })))
  expect(await rig.transactionsOf(commitAll)).toBeLessThanOrEqual(3)
})

it('answers each for itself: turns that were stored before, Executions that are gone or were cancelled', async () => {
  const workspace = await rig.newWorkspace()
  const [first, second, third, last, cancelled] = await startAll(workspace, 5)
  const at = rig.store.now()
  await workspace.commit(second!.id, waitsFor(at))
  await workspace.commit(cancelled!.id, waitsFor(at))
  const seen = await Promise.all([first!, second!, third!, last!].map(({ id }) => workspace.seen(id)))
  const seenBefore = await workspace.seen(cancelled!.id)
  await workspace.accept.requestCancel(cancelled!.key)
  const asked = [seen[0]!, { ...seen[1]!, turns: 0 }, { ...seen[2]!, key: 1 }, seen[3]!]
  const turns: CommittedTurns = { change: waitsFor(at), wakeAt: undefined }
  const next: CommittedTurns = { change: { turns: 2, status: 'waiting' }, wakeAt: undefined }
  const answers = await Promise.all([
    ...asked.map((one) => rig.store.engine.commit(one, turns)),
    rig.store.engine.commit(seenBefore, next),
  ])
  expect(answers.map(({ kind }) => kind)).toEqual(['committed', 'lost', 'gone', 'committed', 'lost'])
  expect(answers[1]).toMatchObject({ turns: 1, status: 'waiting' })
  expect(answers[4]).toMatchObject({ turns: 1, status: 'cancelling' })
})

it('stores one of two commits of an Execution at the same moment', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  const seen = await Promise.all([...heads, heads[1]!].map(({ id }) => workspace.seen(id)))
  const turns: CommittedTurns = { change: waitsFor(at), wakeAt: undefined }
  const answers = await Promise.all(seen.map((one) => rig.store.engine.commit(one, turns)))
  expect(answers.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed', 'lost'])
  expect((await workspace.store.journal.page(heads[1]!.key, 0, 20)).items).toHaveLength(5)
})

it('refuses a time-out for an event that came in time, and stores the turns beside it', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  const waits: Change = {
    entries: [{ at, type: 'wait_scheduled', command: 1, name: 'paid', data: '{}' }],
    opened: [{ kind: 'event', command: 1, name: 'paid', since: at, dueAt: at + 3_600_000 }],
    ...{ turns: 1, lastCommand: 1, status: 'waiting', startedAt: at },
  }
  for (const { id } of heads) await workspace.commit(id, waits)
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  await workspace.accept.receive(heads[1]!.key, { id: 'evt', name: 'paid', payload: '1' })
  const timesOut: Change = {
    entries: [{ at, type: 'wait_timed_out', command: 1, name: 'paid', data: '{}' }],
    ...{ closed: [1], turns: 2, status: 'running' },
  }
  const commit = (one: (typeof seen)[0]) => rig.store.engine.commit(one, { change: timesOut, wakeAt: undefined })
  expect((await Promise.all(seen.map(commit))).map(({ kind }) => kind)).toEqual(['committed', 'lost', 'committed'])
})

it('lets one that cannot be stored spoil no other', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  const settled = await Promise.allSettled(
    heads.map(async ({ id }, index) =>
      rig.store.engine.commit(await workspace.seen(id), {
        change: waitsFor(at),
        wakeAt: undefined,
        invocation: index === 1 ? 'inv\0' : 'inv',
      }),
    ),
  )
  const committed = { status: 'fulfilled', value: { kind: 'committed' } }
  expect(settled).toMatchObject([committed, { status: 'rejected' }, committed])
})

it('stores a turn alone that opens many commands, which hold little data', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  const commands = Array.from({ length: 300 }, (_, index) => index + 1)
  const many: Change = {
    entries: commands.map((command) => ({ at, type: 'timer_scheduled', command, data: '{}' })),
    opened: commands.map((command) => ({ kind: 'timer', command, since: at, dueAt: at + 1_000 })),
    ...{ turns: 1, lastCommand: 300, status: 'waiting', startedAt: at },
  }
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  let answers: readonly object[] = []
  const transactions = await rig.transactionsOf(async () => {
    answers = await Promise.all(
      seen.map((one, index) =>
        rig.store.engine.commit(one, { change: index === 1 ? many : waitsFor(at), wakeAt: undefined }),
      ),
    )
  })
  expect(answers).toMatchObject(heads.map(() => ({ kind: 'committed' })))
  expect(transactions).toBeGreaterThanOrEqual(2)
})

it('stores a turn alone that may remove thousands of open commands', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  const opened = Array.from({ length: 5_000 }, (_, index) => {
    return { kind: 'timer', command: index + 1, since: at, dueAt: at + 1_000 } as const
  })
  const many: Change = { opened, turns: 1, lastCommand: opened.length, status: 'waiting', startedAt: at }
  for (const [index, { id }] of heads.entries()) await workspace.commit(id, index === 1 ? many : waitsFor(at))
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const turns: CommittedTurns = { change: { ...ends(at), turns: 2 }, wakeAt: undefined }
  let answers: readonly object[] = []
  const transactions = await rig.transactionsOf(async () => {
    answers = await Promise.all(seen.map((one) => rig.store.engine.commit(one, turns)))
  })
  expect(answers).toMatchObject(heads.map(() => ({ kind: 'committed' })))
  expect(transactions).toBeGreaterThanOrEqual(2)
})

it('does not let a workspace wait for the commits of another one', async () => {
  const [busy, quiet] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const [[locked], [free]] = [await startAll(busy, 1), await startAll(quiet, 1)]
  const at = rig.store.now()
  const turns: CommittedTurns = { change: waitsFor(at), wakeAt: undefined }
  const seen = [await busy.seen(locked!.id), await quiet.seen(free!.id)] as const
  await rig.sql('BEGIN')
  await rig.sql('SELECT FROM executions WHERE key = $1 FOR UPDATE', [locked!.key])
  const waiting = rig.store.engine.commit(seen[0], turns)
  expect(await rig.store.engine.commit(seen[1], turns)).toMatchObject({ kind: 'committed' })
  await rig.sql('COMMIT')
  expect(await waiting).toMatchObject({ kind: 'committed' })
})
