import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { MAX_BUFFERED_BYTES } from '../../src-runtime/engine/accept.ts'
import type { Change } from '../../src-runtime/engine/change.ts'
import { failAttempt } from '../../src-runtime/engine/effect-attempts.ts'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import { openDatabase, openSession } from './database.ts'
import { createEngineStore } from './engine-store.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import type { ChangeMark } from './store.ts'

const rig = hostedRig()

const wait = (command: number, name: string, since: number, dueAt?: number): OpenCommand => ({
  kind: 'event',
  ...{ command, name, since },
  ...(dueAt !== undefined && { dueAt }),
})
const effect = (command: number, since: number): OpenCommand => ({
  kind: 'effect',
  ...{ command, name: 'charge', since, attempt: 1, options: { retry: { maxAttempts: 3 }, timeoutMs: 10 } },
})

/** A first turn that opens these commands. */
const firstTurn = (opened: readonly OpenCommand[]): Change => ({
  entries: opened.map((open) => ({
    at: open.since,
    type: open.kind === 'effect' ? 'effect_scheduled' : open.kind === 'event' ? 'wait_scheduled' : 'timer_scheduled',
    command: open.command,
    ...(open.kind !== 'timer' && { name: open.name }),
    data: '{}',
  })),
  ...{ opened, turns: 1, lastCommand: opened.at(-1)?.command ?? 0, status: 'waiting', startedAt: rig.store.now() },
})

const parked = async (workspace: WorkspaceRig, ...opened: OpenCommand[]) => {
  const head = await workspace.start()
  expect(await workspace.commit(head.id, firstTurn(opened))).toMatchObject({ kind: 'committed', firstPosition: 2 })
  return head
}
/** Commits at the same moment as for another Execution, so that both are one transaction. */
const commitBesideAnother = async (workspace: WorkspaceRig, ...commit: Parameters<typeof rig.store.engine.commit>) => {
  const another = await workspace.seen((await workspace.start()).id)
  const { engine } = rig.store
  const both = [engine.commit(...commit), engine.commit(another, { change: firstTurn([]), wakeAt: undefined })] as const
  return (await Promise.all(both))[0]
}
const load = async (id: string) => (await rig.store.engine.load(id))!
const types = async ({ store }: WorkspaceRig, key: number) =>
  (await store.journal.page(key, 0, 100)).items.map(({ type }) => type)

describe('starting', () => {
  it('writes the row and its first entry, at the time of PostgreSQL', async () => {
    const { start, store, deploy } = await rig.newWorkspace()
    const { versionId, projectId } = await deploy('order')
    const data = '{"input":{"__proto__":"\\u0000"}}'
    const head = await start('order', { data, createdAt: 1 })
    expect(Math.abs(head.createdAt - Date.now())).toBeLessThan(2_000)
    expect(head).toEqual({
      ...{ key: head.key, id: head.id, projectId, programId: 'order', versionId, versionNumber: 1 },
      ...{ status: 'queued', createdAt: head.createdAt, lastPosition: 1, turns: 0, lastCommand: 0 },
      ...{ cancelDelivered: false, buffered: 0, bufferedBytes: 0 },
    })
    expect(await store.executions.head(head.key)).toEqual(head)
    expect(await store.executions.find(head.id)).toEqual(head)
    const loaded = await load(head.id)
    expect(loaded).toMatchObject({ head, open: [], buffered: [], outcomes: [], stirred: 0, wakeAt: head.createdAt })
    expect(loaded.startData).toBe(data)
    const items = [{ position: 1, at: head.createdAt, type: 'execution_started', data }]
    expect(await store.journal.page(head.key, 0, 10)).toEqual({ items, more: false })
  })

  it('writes the turns that ran ahead with it', async () => {
    const workspace = await rig.newWorkspace()
    const at = rig.store.now()
    const change = { ...firstTurn([wait(1, 'paid', at)]), label: 'a\0b' }
    const head = await workspace.start('order', { createdAt: at }, { change, wakeAt: undefined })
    expect(head).toMatchObject({ status: 'waiting', createdAt: at, turns: 1, lastPosition: 2, label: 'a\0b' })
    expect(await workspace.store.executions.head(head.key)).toEqual(head)
    const loaded = await load(head.id)
    expect(loaded.open).toEqual([{ ...wait(1, 'paid', at), position: 2 }])
    expect(loaded.wakeAt).toBeUndefined()
  })

  it('lets a key start one Execution, also when many ask at once', async () => {
    const { accept, deploy, newExecution, store } = await rig.newWorkspace()
    const version = await deploy('order')
    const idempotency = { key: 'k', bodyHash: 'h' }
    const all = await Promise.all(Array.from({ length: 8 }, () => accept.start(newExecution(version, { idempotency }))))
    const started = all.flatMap((one) => (one.kind === 'started' ? [one.head.key] : []))
    expect(started).toHaveLength(1)
    expect(all.filter(({ kind }) => kind === 'repeated')).toHaveLength(7)
    const another = newExecution(version, { idempotency: { key: 'k', bodyHash: 'another' } })
    expect(await accept.start(another)).toEqual({ kind: 'conflict' })
    expect(await store.executions.startedWith(version.projectId, 'k')).toEqual({ key: started[0], bodyHash: 'h' })
    await accept.requestCancel(started[0]!)
    await store.executions.delete(started[0]!)
    expect(await store.executions.startedWith(version.projectId, 'k')).toBeUndefined()
    expect((await accept.start(newExecution(version, { idempotency }))).kind).toBe('started')
  })
})

describe('events', () => {
  it('wake an Execution that is asleep and waits for them, and once only', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await parked(workspace, wait(1, 'paid', rig.store.now()))
    const send = (name: string) => workspace.accept.receive(key, { id: `evt_${name}`, name, payload: '1' })
    expect(await send('other')).toMatchObject({ kind: 'received', executionId: id, wake: false })
    expect((await load(id)).head.status).toBe('waiting')
    expect(await send('paid')).toMatchObject({ kind: 'received', wake: true })
    expect(await send('paid')).toMatchObject({ kind: 'received', wake: false })
    const loaded = await load(id)
    expect(loaded.head).toMatchObject({ status: 'running', buffered: 3, lastPosition: 5 })
    expect(loaded.stirred).toBe(3)
    expect(loaded.wakeAt).toBeLessThanOrEqual(loaded.now)
    expect(loaded.buffered.map(({ name }) => name)).toEqual(['other', 'paid', 'paid'])
    expect(loaded.payloads.get(3)).toBe('{"id":"evt_other","payload":1}')
  })

  it('are stored once for each key', async () => {
    const { accept, start, store } = await rig.newWorkspace()
    const { key } = await start()
    const event = { id: 'evt_1', name: 'paid', idempotency: { key: 'k', bodyHash: 'h' } }
    expect(await accept.receive(key, event)).toMatchObject({ kind: 'received' })
    const received = { position: 2, bodyHash: 'h' }
    expect(await accept.receive(key, event)).toEqual({ kind: 'repeated', received })
    expect(await store.executions.receivedWith(key, 'k')).toEqual(received)
  })

  it('are refused where the buffer would be larger than it may be, until a wait takes them', async () => {
    const { accept, start } = await rig.newWorkspace()
    const { key } = await start()
    const send = async () => (await accept.receive(key, { id: 'evt_1', name: 'paid' })).kind
    expect(await send()).toBe('received')
    const fill = (room: number) =>
      rig.sql('UPDATE executions SET buffered_bytes = $2 - octet_length($3) WHERE key = $1', [
        key,
        MAX_BUFFERED_BYTES - room,
        '{"id":"evt_1"}',
      ])
    await fill(-1)
    expect(await send()).toBe('buffer_full')
    await fill(0)
    expect(await send()).toBe('received')
  })

  it('that come before a time-out win, although the visit had not seen them', async () => {
    const workspace = await rig.newWorkspace()
    const dueAt = rig.store.now() + 60_000
    const { key, id } = await parked(workspace, wait(1, 'paid', rig.store.now(), dueAt))
    const seen = await workspace.seen(id)
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
    const entries = [{ at: dueAt, type: 'wait_timed_out', command: 1, name: 'paid' }] as const
    const change: Change = { entries, closed: [1], turns: 2, lastCommand: 1, status: 'waiting' }
    const lost = await rig.store.engine.commit(seen, { change, wakeAt: undefined })
    expect(lost).toEqual({ kind: 'lost', turns: 1, cancelRequestedAt: undefined, status: 'running' })
    expect(await types(workspace, key)).toEqual(['execution_started', 'wait_scheduled', 'event_received'])
  })

  it.each([
    [
      'alone',
      (_: WorkspaceRig, ...commit: Parameters<typeof rig.store.engine.commit>) => rig.store.engine.commit(...commit),
    ],
    ['together', commitBesideAnother],
  ])('that stand before a wait win over its time-out, although it was over when they came: %s', async (_, commit) => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await workspace.start()
    const seen = await workspace.seen(id)
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
    const { engine } = rig.store
    expect(await engine.commit(seen, { change: firstTurn([wait(1, 'paid', 1, 2)]), wakeAt: undefined })).toMatchObject({
      kind: 'committed',
      firstPosition: 3,
    })
    const entries = [{ at: 3, type: 'wait_timed_out', command: 1, name: 'paid' }] as const
    const change: Change = { entries, closed: [1], turns: 2, lastCommand: 1, status: 'waiting' }
    const refused = await commit(workspace, { ...seen, turns: 1 }, { change, wakeAt: undefined })
    expect(refused).toMatchObject({ kind: 'lost' })
    expect(
      await commit(workspace, { ...seen, turns: 1, lastPosition: 2 }, { change, wakeAt: undefined }),
    ).toMatchObject({
      kind: 'committed',
    })
  })

  it('do not refuse a time-out if the visit had seen them, also while others come', async () => {
    const workspace = await rig.newWorkspace()
    const now = rig.store.now()
    const { key, id } = await parked(workspace, wait(1, 'paid', now), wait(2, 'paid', now, now + 60_000))
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
    const seen = await workspace.seen(id)
    await workspace.accept.receive(key, { id: 'evt_2', name: 'sent' })
    const entries = [{ at: now + 60_000, type: 'wait_timed_out', command: 2, name: 'paid' }] as const
    const change: Change = { entries, closed: [2], turns: 2, lastCommand: 2, status: 'waiting' }
    const committed = await rig.store.engine.commit(seen, { change, wakeAt: undefined })
    expect(committed).toMatchObject({ kind: 'committed', stirred: 2 })
    expect(await load(id)).toMatchObject({ open: [{ command: 1 }], buffered: [{ name: 'paid' }, { name: 'sent' }] })
  })

  it('are refused after the end, and beyond what an Execution may have', async () => {
    const { accept, start } = await rig.newWorkspace()
    const { key } = await start()
    await rig.sql('UPDATE executions SET buffered = 10000 WHERE key = $1', [key])
    expect(await accept.receive(key, { id: 'evt_1', name: 'paid' })).toEqual({ kind: 'buffer_full' })
    await accept.requestCancel(key)
    expect(await accept.receive(key, { id: 'evt_1', name: 'paid' })).toEqual({ kind: 'finished', status: 'cancelled' })
  })
})

describe('commits', () => {
  it('leave the row awake when something came since it was seen', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await workspace.start()
    const seen = await workspace.seen(id)
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
    const change = firstTurn([wait(1, 'paid', rig.store.now())])
    const committed = await rig.store.engine.commit(seen, { change, wakeAt: undefined })
    expect(committed).toMatchObject({ kind: 'committed', firstPosition: 3, stirred: 1 })
    expect(await rig.store.engine.rest({ ...seen, turns: 1 }, undefined)).toBe(false)
    const loaded = await load(id)
    expect(loaded.wakeAt).toBeDefined()
    expect(loaded.open).toMatchObject([{ position: 3 }])
    expect(await rig.store.engine.rest(await workspace.seen(id), undefined)).toBe(true)
    expect((await load(id)).wakeAt).toBeUndefined()
  })

  it('end the longer pauses of the sweeper, alone and together', async () => {
    const workspace = await rig.newWorkspace()
    const all = await Promise.all(Array.from({ length: 6 }, () => workspace.start()))
    const keys = all.map(({ key }) => key)
    await rig.sql('UPDATE executions SET sweeps = 9 WHERE key = ANY ($1)', [keys])
    const commit = ({ id }: { readonly id: string }) => workspace.commit(id, firstTurn([wait(1, 'paid', 1)]))
    await commit(all[0]!)
    await Promise.all(all.slice(1).map(commit))
    expect(await rig.sql('SELECT DISTINCT sweeps FROM executions WHERE key = ANY ($1)', [keys])).toEqual([
      { sweeps: 0 },
    ])
  })

  it('are lost to other turns, to a cancel and to an end', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await workspace.start()
    const seen = await workspace.seen(id)
    await workspace.commit(id, firstTurn([wait(1, 'paid', 1)]))
    const again = { change: firstTurn([]), wakeAt: undefined }
    expect(await rig.store.engine.commit(seen, again)).toMatchObject({ kind: 'lost', turns: 1, status: 'waiting' })
    const before = await workspace.seen(id)
    expect(await workspace.accept.requestCancel(key)).toMatchObject({
      kind: 'accepted',
      status: 'cancelling',
      wake: true,
    })
    const cancelled = await rig.store.engine.commit(before, again)
    expect(cancelled).toMatchObject({ kind: 'lost', turns: 1, status: 'cancelling' })
    expect(cancelled.kind === 'lost' && cancelled.cancelRequestedAt).toBeTypeOf('number')
    expect(await types(workspace, key)).toEqual(['execution_started', 'wait_scheduled'])
  })

  it('tell when the last of them was, and when the cancel was delivered, of each Execution', async () => {
    const workspace = await rig.newWorkspace()
    const first = await parked(workspace, wait(1, 'paid', 1))
    const second = await parked(workspace, wait(1, 'paid', 1))
    for (const [at, { key, id }] of [first, second].entries()) {
      await workspace.accept.requestCancel(key)
      const cancelled = { at: at + 10, type: 'cancel_requested' } as const
      const entries = [cancelled, { at: at + 20, type: 'wait_scheduled', command: 2, name: 'undone' }] as const
      const turn = { turns: 2, lastCommand: 2, closed: 'all', opened: [wait(2, 'undone', at + 20)] } as const
      await workspace.commit(id, { ...turn, entries, cancelDelivered: true, status: 'cancelling' })
      await rig.store.engine.appendLogs(key, [{ at: at + 30, type: 'log', data: '{}' }])
    }
    for (const [at, { key, id }] of [first, second].entries()) {
      expect((await load(id)).cancelDeliveredAt).toBe(at + 10)
      expect(await rig.store.engine.lastTurnAt(key)).toBe(at + 20)
    }
  })

  it('that end an Execution leave nothing of it open', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await parked(workspace, wait(1, 'paid', 1), effect(2, 1))
    await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
    const error = { code: 'program_error', name: 'Error', message: 'No \0 money' } as const
    const entries = [{ at: 5, type: 'execution_failed', data: JSON.stringify({ error }) }] as const
    await workspace.commit(id, { entries, status: 'failed', finishedAt: 5, turns: 2, error })
    const loaded = await load(id)
    expect(loaded).toMatchObject({ open: [], buffered: [], head: { status: 'failed', buffered: 0, bufferedBytes: 0 } })
    expect(await workspace.store.executions.outcome(key)).toEqual({ status: 'failed', error, result: '{}' })
    expect(await rig.store.engine.endedAmong([key, 7])).toEqual([key, 7])
    for (const table of ['pending', 'inbox', 'outcomes']) {
      expect(await rig.sql(`SELECT FROM ${table} WHERE execution = $1`, [key])).toEqual([])
    }
  })
})

describe('effects', () => {
  it('take the first outcome of the attempt that is open', async () => {
    const workspace = await rig.newWorkspace()
    const { id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const key = { executionId: id, command: 1, attempt: 1 }
    expect(await engine.takeAttempt(key, 'w1', 0)).toMatchObject({
      kind: 'taken',
      effect: { name: 'charge', attempt: 1 },
      data: '{}',
    })
    expect(await engine.outcome({ ...key, attempt: 2 }, { kind: 'result', data: '{}' })).toEqual({ kind: 'late' })
    expect(await engine.outcome(key, { kind: 'result', data: '{"result":1}' })).toEqual({ kind: 'stored', wake: true })
    expect(await engine.outcome(key, { kind: 'result', data: '{"result":2}' })).toEqual({ kind: 'late' })
    expect(await engine.takeAttempt(key, 'w1', 0)).toEqual({ kind: 'answered' })
    expect(await engine.takeAttempt({ ...key, command: 9 }, 'w1', 0)).toEqual({ kind: 'gone' })
    const { outcomes } = await load(id)
    expect(outcomes).toMatchObject([{ kind: 'effect_result', command: 1, name: 'charge', data: '{"result":1}' }])
  })

  it('count the first death of a performer, and from then on those in which the attempt was under way', async () => {
    const workspace = await rig.newWorkspace()
    const { id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const key = { executionId: id, command: 1, attempt: 1 }
    const take = async (performer: string) => {
      const taken = await engine.takeAttempt(key, performer, 0)
      return taken.kind === 'taken' ? taken.effect.deaths : taken
    }
    expect(await take('w1')).toBeUndefined()
    expect(await take('w1')).toBeUndefined()
    await engine.letGo(key, 'w1')
    expect(await take('w2')).toBeUndefined()
    expect(await take('w3')).toBe(1)
    await engine.noteUnderWay(key, 'w2', true)
    expect(await take('w4')).toBe(1)
    await engine.noteUnderWay(key, 'w4', true)
    expect(await take('w5')).toBe(2)
    await engine.noteUnderWay(key, 'w5', true)
    await engine.letGo(key, 'w5')
    expect(await take('w6')).toBe(2)
    expect(await take('w7')).toBe(2)
    await engine.noteUnderWay(key, 'w7', true)
    await engine.noteUnderWay(key, 'w7', false)
    expect(await take('w8')).toBe(2)
  })

  it('count each death of workers of the release before, which do not say what is under way', async () => {
    const workspace = await rig.newWorkspace()
    const { id } = await parked(workspace, effect(1, 1))
    const takeBefore = async (performer: string) => {
      const statement = 'SELECT effect FROM wes_begin_attempt($1, 1, 1, $2, 0)'
      const [row] = await rig.sql<{ effect: { deaths: number | null } }>(statement, [id, performer])
      return row!.effect.deaths
    }
    expect(await takeBefore('w1')).toBeNull()
    expect(await takeBefore('w2')).toBe(1)
    const { engine } = rig.store
    const key = { executionId: id, command: 1, attempt: 1 }
    expect(await engine.takeAttempt(key, 'new', 0)).toMatchObject({ kind: 'taken', effect: { deaths: 1 } })
    await engine.noteUnderWay(key, 'new', true)
    expect(await takeBefore('w3')).toBe(2)
    expect(await takeBefore('w4')).toBe(3)
  })

  it('count no death while the performer says that it performs the attempt', async () => {
    const workspace = await rig.newWorkspace()
    const { id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const key = { executionId: id, command: 1, attempt: 1 }
    const ask = () => engine.takeAttempt(key, 'w2', 300)
    await engine.takeAttempt(key, 'w1', 300)
    expect(await ask()).toEqual({ kind: 'elsewhere', isCertain: false })
    expect(await engine.stillPerforms([key, { ...key, command: 9 }], 'w1')).toEqual([key])
    expect(await ask()).toEqual({ kind: 'elsewhere', isCertain: true })
    // From now on it says nothing. Others take the attempt once they have asked for long enough.
    const taken = await vi.waitUntil(
      async () => {
        const answer = await ask()
        return answer.kind === 'taken' && answer
      },
      { interval: 50 },
    )
    expect(taken.effect.deaths).toBe(1)
  })

  it('are taken at once from a performer that was not heard for long, while who takes them was heard all the time', async () => {
    const workspace = await rig.newWorkspace()
    const { engine } = rig.store
    /** How long ago each was heard, and for how long it had been by then, in ms. */
    const answerTo = async (first: readonly number[] | undefined, second: readonly number[] | undefined) => {
      const { id } = await parked(workspace, effect(1, 1))
      const attempt = { executionId: id, command: 1, attempt: 1 }
      const hear = async (name: string, heard: readonly number[] | undefined) => {
        if (heard === undefined) return
        await engine.noteAlive(name)
        const [at = 0, forMs = 0] = heard
        const row = [name, at, at + forMs]
        await rig.sql(
          'UPDATE performers SET heard_at = heard_at - $2, heard_since = heard_at - $3 WHERE name = $1',
          row,
        )
      }
      await engine.takeAttempt(attempt, 'first', 60_000)
      await hear('first', first)
      await hear('second', second)
      const answer = await engine.takeAttempt(attempt, 'second', 60_000)
      await rig.sql('DELETE FROM performers')
      return answer.kind === 'taken' ? answer.effect.deaths : answer.kind
    }
    const [silent, standsStill, heard] = [
      [15_000, 60_000],
      [10_000, 60_000],
      [500, 60_000],
    ]
    expect(await answerTo(silent, heard)).toBe(1)
    expect(await answerTo(standsStill, heard)).toBe('elsewhere')
    // PostgreSQL was away, or the clock was set forward: nobody could be heard.
    expect(await answerTo(silent, [500, 5_000])).toBe('elsewhere')
    expect(await answerTo(silent, silent)).toBe('elsewhere')
    // The clock was set back.
    expect(await answerTo(silent, [-60_000, 120_000])).toBe('elsewhere')
    expect(await answerTo([-60_000, 0], heard)).toBe('elsewhere')
    // Workers of the release before say nothing.
    expect(await answerTo(undefined, heard)).toBe('elsewhere')
    expect(await answerTo(silent, undefined)).toBe('elsewhere')
  })

  it('are not taken from a performer that is heard again', async () => {
    const workspace = await rig.newWorkspace()
    const { id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const attempt = { executionId: id, command: 1, attempt: 1 }
    await engine.takeAttempt(attempt, 'first', 60_000)
    for (const name of ['first', 'second']) await engine.noteAlive(name)
    await rig.sql(
      `UPDATE performers SET heard_since = heard_since - 60000, heard_at = heard_at - 20000 WHERE name = 'first'`,
    )
    await rig.sql(`UPDATE performers SET heard_since = heard_since - 60000 WHERE name = 'second'`)
    await engine.noteAlive('first')
    expect(await engine.takeAttempt(attempt, 'second', 60_000)).toEqual({ kind: 'elsewhere', isCertain: false })
    // It was heard with a gap, so it does not know that others were silent meanwhile.
    const [row] = await rig.sql(`SELECT heard_at = heard_since AS "isAnew" FROM performers WHERE name = 'first'`)
    expect(row).toEqual({ isAnew: true })
    await rig.sql('DELETE FROM performers')
  })

  it('count no death for a time in which nobody could ask', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const attempt = { executionId: id, command: 1, attempt: 1 }
    await engine.takeAttempt(attempt, 'w1', 60_000)
    await engine.takeAttempt(attempt, 'w2', 60_000)
    await rig.sql('UPDATE pending SET asked_since = 1, asked_at = wes_now() - 61000 WHERE execution = $1', [key])
    expect(await engine.takeAttempt(attempt, 'w2', 60_000)).toEqual({ kind: 'elsewhere', isCertain: false })
    await rig.sql('UPDATE pending SET asked_since = 1 WHERE execution = $1', [key])
    expect(await engine.takeAttempt(attempt, 'w2', 60_000)).toMatchObject({ kind: 'taken', effect: { deaths: 1 } })
    // Nobody has asked the new performer before, and the old one lets go of nothing.
    await engine.letGo(attempt, 'w1')
    expect(await engine.takeAttempt(attempt, 'w3', 60_000)).toEqual({ kind: 'elsewhere', isCertain: false })
  })

  it.each(['wes_now() + 3600000', 'NULL'])(
    'are taken from a performer that died, if others asked for them before the clock was set back: since %s',
    async (since) => {
      const workspace = await rig.newWorkspace()
      const { key, id } = await parked(workspace, effect(1, 1))
      const attempt = { executionId: id, command: 1, attempt: 1 }
      const ask = () => rig.store.engine.takeAttempt(attempt, 'w2', 60_000)
      await rig.store.engine.takeAttempt(attempt, 'w1', 60_000)
      await rig.sql(`UPDATE pending SET asked_since = ${since}, asked_at = wes_now() + 3600000 WHERE execution = $1`, [
        key,
      ])
      expect(await ask()).toEqual({ kind: 'elsewhere', isCertain: false })
      await rig.sql('UPDATE pending SET asked_since = asked_since - 60000 WHERE execution = $1', [key])
      expect(await ask()).toMatchObject({ kind: 'taken' })
    },
  )

  it('keep a failed attempt and the time of the next one', async () => {
    const workspace = await rig.newWorkspace()
    const { key, id } = await parked(workspace, effect(1, 1))
    const { engine } = rig.store
    const first = { executionId: id, command: 1, attempt: 1 }
    const taken = await engine.takeAttempt(first, 'w1', 0)
    if (taken.kind !== 'taken') throw new Error(taken.kind)
    const failed = failAttempt(
      taken.effect,
      { error: { code: 'effect_failed', message: 'no' }, retryable: true },
      taken.now,
    )
    if (failed.kind !== 'retry') throw new Error(failed.kind)
    const retry = {
      kind: 'retry',
      next: failed.next,
      entry: failed.change.entries![0]!,
      wakeAt: taken.now + 9,
    } as const
    expect(await engine.outcome(first, retry)).toEqual({ kind: 'stored', wake: false })
    expect(await engine.outcome(first, retry)).toEqual({ kind: 'late' })
    expect(await engine.takeAttempt(first, 'w2', 0)).toEqual({ kind: 'later', attempt: 2, dueAt: failed.next.dueAt })
    expect(await load(id)).toMatchObject({ open: [failed.next], wakeAt: taken.now + 9, stirred: 1 })
    expect(await types(workspace, key)).toEqual(['execution_started', 'effect_scheduled', 'effect_attempt_failed'])
    const early = await workspace.accept.actEarly(key, 'retry', 1)
    expect(early).toMatchObject({ kind: 'accepted', executionId: id, open: { early: true, attempt: 2 } })
    expect(await workspace.accept.actEarly(key, 'fire', 1)).toEqual({ kind: 'refused', why: 'effect' })
    expect(await workspace.accept.actEarly(key, 'fire', 9)).toEqual({ kind: 'refused', why: 'not_open' })
    const second = { ...first, attempt: 2 }
    expect(await engine.takeAttempt(second, 'w2', 0)).not.toHaveProperty('effect.deaths')
    expect(await engine.takeAttempt(second, 'w3', 0)).toMatchObject({ effect: { deaths: 1 } })
    const third = { ...first, attempt: 3 }
    const again = { ...retry, next: { ...failed.next, attempt: 3 } }
    // What is to be looked at before stays so.
    const [before] = await rig.sql<{ at: number }>(
      'UPDATE executions SET wake_at = wes_now() WHERE key = $1 RETURNING wake_at AS at',
      [key],
    )
    expect(await engine.outcome(second, { ...again, wakeAt: taken.now + 60_000 })).toMatchObject({ kind: 'stored' })
    expect((await load(id)).wakeAt).toBe(before!.at)
    expect(await engine.takeAttempt(third, 'w4', 0)).not.toHaveProperty('effect.deaths')
    // The lease of the attempt before does not stay, unless there may be something else to look at.
    const leased = async (wakeAt: number) => {
      await rig.sql('UPDATE executions SET wake_at = $2 WHERE key = $1', [key, taken.now + 30_000])
      const retried = await engine.outcome(third, { ...retry, next: { ...failed.next, attempt: 3 }, wakeAt })
      return [retried.kind, (await load(id)).wakeAt]
    }
    expect(await leased(taken.now + 60_000)).toEqual(['stored', taken.now + 60_000])
    await workspace.accept.receive(key, { id: 'evt_other', name: 'other', payload: '1' })
    expect(await leased(taken.now + 60_000)).toEqual(['stored', taken.now + 30_000])
    expect(await engine.outcome(third, { kind: 'result', data: '{}' })).toMatchObject({ kind: 'stored' })
    // Another performer of the same attempt fails after it has a result.
    expect(await engine.outcome(third, { ...retry, next: { ...failed.next, attempt: 4 } })).toEqual({ kind: 'late' })
    expect((await load(id)).open).toMatchObject([{ attempt: 3 }])
  })
})

/** These are overdue and no others, the first ones for longest. */
const makeOverdue = async (...oldestFirst: readonly (readonly string[])[]) => {
  await rig.sql('UPDATE executions SET wake_at = NULL')
  for (const [age, some] of oldestFirst.toReversed().entries()) {
    await rig.sql('UPDATE executions SET wake_at = wes_now() - 60000 - $2 WHERE id = ANY ($1)', [some, age])
  }
}

it('gives what is overdue to one claimant, later each time', async () => {
  const workspace = await rig.newWorkspace()
  const { id } = await workspace.start()
  await makeOverdue([id])
  const claim = async () => (await rig.store.engine.overdue({ graceMs: 5_000, limit: 1 })).ids
  /** Checks that it is due again so long after a time between `since` and now. */
  const isDelayed = async (since: number, delayMs: number) => {
    const { wakeAt: at = 0, now } = await load(id)
    expect(at).toBeGreaterThanOrEqual(since + delayMs)
    expect(at).toBeLessThanOrEqual(now + delayMs)
  }
  const { now: first } = await load(id)
  const claims = (await Promise.all([claim(), claim(), claim()])).flat()
  expect(claims.filter((one) => one === id)).toHaveLength(1)
  await isDelayed(first, 10_000)
  await makeOverdue([id])
  const { now: second } = await load(id)
  expect(await claim()).toEqual([id])
  await isDelayed(second, 20_000)
  // A visit has come, and leaves the row as it is.
  await rig.store.engine.rest(await workspace.seen(id), (await load(id)).wakeAt)
  await makeOverdue([id])
  const { now: third } = await load(id)
  expect(await claim()).toEqual([id])
  await isDelayed(third, 10_000)
})

const startMany = async (count: number): Promise<readonly string[]> => {
  const workspace = await rig.newWorkspace()
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push((await workspace.start()).id)
  return ids
}

it('makes overdue what was leased before the clock was set back, and leaves what waits for a time', async () => {
  await rig.sql('UPDATE executions SET wake_at = NULL')
  const workspace = await rig.newWorkspace()
  const { engine, now } = rig.store
  const hour = 3_600_000
  const queued = [await workspace.start(), await workspace.start()]
  const performed = await parked(workspace, effect(1, now()))
  const swept = await workspace.start()
  const sleeps = await parked(workspace, wait(1, 'paid', now(), now() + 2 * hour))
  const leased = [...queued, performed, swept, sleeps].map(({ key }) => key)
  await rig.sql('UPDATE executions SET wake_at = wes_now() + $2::bigint WHERE key = ANY ($1)', [leased, hour - 60_000])
  await rig.sql('UPDATE executions SET sweeps = 9 WHERE key = $1', [swept.key])
  const end = async () => {
    let pages = 0
    for (let after; (after = await engine.endLongLeases(after, 60_000, 2)) !== undefined;) pages += 1
    return pages
  }
  const overdue = async () => (await engine.overdue({ graceMs: -1_000, limit: 9 })).ids.toSorted()
  expect(await overdue()).toEqual([])
  expect(await end()).toBe(3)
  expect(await overdue()).toEqual([...queued, performed].map(({ id }) => id).toSorted())
  await rig.sql('UPDATE executions SET wake_at = wake_at + $2::bigint WHERE key = $1', [swept.key, hour])
  await end()
  expect(await overdue()).toEqual([swept.id])
})

it('makes overdue what is leased for a short time, or was until a moment ago, or was claimed, and leaves what waits for a timer', async () => {
  await rig.sql('UPDATE executions SET wake_at = NULL')
  const workspace = await rig.newWorkspace()
  const { engine, now } = rig.store
  const leased = [await workspace.start(), await workspace.start(), await parked(workspace, effect(1, now()))]
  const late = await workspace.start()
  const sleeps = await parked(workspace, wait(1, 'paid', now(), now() + 8_000))
  const set = 'UPDATE executions SET wake_at = wes_now() + $2::bigint WHERE key = ANY ($1)'
  await rig.sql(set, [leased.map(({ key }) => key), 9_000])
  await rig.sql(set, [[leased[0]!.key], -3_000])
  await rig.sql(set, [[leased[1]!.key, late.key], 30_000])
  await rig.sql('UPDATE executions SET sweeps = 2 WHERE key = $1', [leased[1]!.key])
  await rig.sql('UPDATE executions SET wake_at = p.due_at FROM pending p WHERE key = p.execution AND key = $1', [
    sleeps.key,
  ])
  const overdue = async () => (await engine.overdue({ graceMs: 5_000, limit: 9 })).ids.toSorted()
  expect(await overdue()).toEqual([])
  const end = () => engine.endLeases({ withinMs: 10_000, claimedWithinMs: 60_000, overdueMs: 5_001, limit: 2 })
  expect([await end(), await end()]).toEqual([true, false])
  expect(await overdue()).toEqual(leased.map(({ id }) => id).toSorted())
})

it('gives what is overdue of each workspace, however much is overdue of another one for longer', async () => {
  const [many, one] = [await startMany(12), await startMany(1)]
  await makeOverdue(many, one)
  const claim = () => rig.store.engine.overdue({ graceMs: 5_000, limit: 8 })
  const first = await claim()
  expect(first.ids).toHaveLength(5)
  expect(first.ids).toContain(one[0])
  expect(first.isMore).toBe(true)
  const second = await claim()
  expect([...first.ids, ...second.ids].toSorted()).toEqual([...many, ...one].toSorted())
  expect(await claim()).toEqual({ ids: [], isMore: false })
})

it('learns the time of PostgreSQL when it claims, so that nobody waits by a clock that was behind', async () => {
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  const told = vi.fn<(at: number) => void>()
  await createEngineStore(db, { now: () => 0, setBacks: () => 0, told }).dueTimers({
    aheadMs: 1_000,
    limit: 1,
    limitOfOne: 1,
    busy: [],
  })
  await db.close()
  expect(Math.abs(told.mock.calls[0]![0] - Date.now())).toBeLessThan(2_000)
})

it('what wakes an Execution asks for a visit, once of each kind, also where nobody came when it was to be looked at', async () => {
  const workspace = await rig.newWorkspace()
  const now = rig.store.now()
  const timer: OpenCommand = { kind: 'timer', command: 4, since: now, dueAt: now + 60_000 }
  const { key, id } = await parked(workspace, wait(1, 'paid', now), effect(2, now), effect(3, now), timer)
  await rig.sql('UPDATE executions SET wake_at = wes_now() - 4000 WHERE key = $1', [key])
  const { accept } = workspace
  const send = (name: string) => accept.receive(key, { id: 'evt_1', name })
  const end = (command: number) =>
    rig.store.engine.outcome({ executionId: id, command, attempt: 1 }, { kind: 'result', data: '{}' })
  const fire = () => accept.actEarly(key, 'fire', 4)
  const asks = []
  for (const name of ['nobody waits for it', 'paid', 'paid']) asks.push(await send(name))
  for (const act of [() => end(2), () => end(3), fire, fire, () => accept.requestCancel(key)]) asks.push(await act())
  expect(asks.map((asked) => 'wake' in asked && asked.wake)).toEqual([
    ...[false, true, false],
    ...[true, false, true, false, true],
  ])
})

describe('timers that are due', () => {
  /** Of an Execution that waits for a timer of a minute, and is to be looked at then. */
  const parkedUntil = async (
    workspace: WorkspaceRig,
    dueAt: number,
    { wakeAt = dueAt, lastsMs = 60_000 } = {},
  ): Promise<string> => {
    const { id } = await workspace.start()
    const open: OpenCommand = { kind: 'timer', command: 1, since: dueAt - lastsMs, dueAt }
    await workspace.commit(id, firstTurn([open]), { wakeAt })
    return id
  }
  const claim = async (limit: number, limitOfOne = limit, busy: readonly number[] = []) => {
    const { due: timers, isMore } = await rig.store.engine.dueTimers({ aheadMs: 1_000, limit, limitOfOne, busy })
    return { ids: timers.map(({ executionId }) => executionId), timers, isMore }
  }
  beforeEach(async () => {
    await rig.sql('UPDATE executions SET wake_at = NULL')
    await rig.sql('DELETE FROM pending')
  })

  it('are claimed a moment before, once, in the order of their times, and are not overdue for the sweeper', async () => {
    const workspace = await rig.newWorkspace()
    const now = rig.store.now()
    const soon = await parkedUntil(workspace, now + 900)
    const late = await parkedUntil(workspace, now - 60_000)
    await parkedUntil(workspace, now + 60_000)
    await parkedUntil(workspace, now - 30_000, { wakeAt: now - 20_000, lastsMs: 1_000 }) // Restate was asked for it
    const claimed = (await Promise.all([claim(9), claim(9)])).flatMap(({ timers }) => timers)
    expect(claimed.toSorted((a, b) => a.dueAt - b.dueAt)).toMatchObject([
      { executionId: late, dueAt: now - 60_000 },
      { executionId: soon, dueAt: now + 900 },
    ])
    expect((await load(soon)).wakeAt).toBeGreaterThanOrEqual(now + 900 + 5_000)
    const { ids } = await rig.store.engine.overdue({ graceMs: 5_000, limit: 9 })
    expect(ids).toHaveLength(1)
    expect([soon, late]).not.toContain(ids[0])
    // Whoever claimed it has died.
    await rig.sql('UPDATE executions SET wake_at = wes_now() - 6000 WHERE id = $1', [late])
    expect((await rig.store.engine.overdue({ graceMs: 5_000, limit: 9 })).ids).toEqual([])
    expect((await claim(9)).ids).toEqual([late])
  })

  it('are claimed where an event came before, and no visit for it', async () => {
    const workspace = await rig.newWorkspace()
    const now = rig.store.now()
    const id = await parkedUntil(workspace, now + 500, { wakeAt: now - 4_000 })
    expect((await claim(9)).timers).toMatchObject([{ executionId: id, dueAt: now + 500 }])
  })

  it('are claimed, however many others of the workspace nobody has looked at', async () => {
    const workspace = await rig.newWorkspace()
    const id = await parkedUntil(workspace, rig.store.now() - 1)
    await rig.sql(
      `INSERT INTO executions (key, created_at, wake_at, workspace, project, program, version, last_position, turns, last_command,
         buffered, buffered_bytes, stirred, status, id)
       SELECT key + n, created_at, wes_now() - 60000, workspace, project, program, version, 1, 1, 0, 0, 0, 0, 2, id || n
       FROM executions, generate_series(1, 3000) AS n WHERE id = $1`,
      [id],
    )
    expect((await claim(9)).ids).toEqual([id])
  })

  describe('of which many are claimed already', () => {
    const MANY = 1_000
    /** Of the workspace's only Execution so far. */
    const copyHeld = async (id: string) => {
      await rig.sql(
        `WITH copies AS (
           INSERT INTO executions (key, created_at, wake_at, workspace, project, program, version, last_position, turns, last_command,
             buffered, buffered_bytes, stirred, status, id)
           SELECT key - n, created_at, wes_now() + 600000, workspace, project, program, version, 1, 1, 1, 0, 0, 0, 2, id || n
           FROM executions, generate_series(1, $2::int) AS n WHERE id = $1 RETURNING *)
         INSERT INTO pending (execution, command, workspace, project, program, kind, since, due_at)
         SELECT key, 1, workspace, project, program, 1, wes_now() - 120000, wes_now() - 60000 FROM copies`,
        [id, MANY],
      )
      await rig.sql('ANALYZE executions, pending')
    }
    const rowsRead = async (run: () => Promise<unknown>) => {
      const count = async () => {
        const [row] = await rig.sql<{ rows: number }>(
          `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables
           WHERE relname IN ('executions', 'pending')`,
        )
        return row!.rows
      }
      await rig.sql('BEGIN')
      const before = await count()
      await run()
      const after = await count()
      await rig.sql('COMMIT')
      return after - before
    }
    const look = () => rig.sql('SELECT wes_claim_timers(1000, 256, 32, 0, ARRAY[]::int[])')

    it('are claimed after a few looks, and later looks do not read the others again', async () => {
      const workspace = await rig.newWorkspace()
      const id = await parkedUntil(workspace, rig.store.now() - 1)
      await copyHeld(id)
      const looks = []
      do looks.push(await claim(256, 32))
      while (looks.at(-1)!.isMore)
      expect(looks.flatMap(({ ids }) => ids)).toEqual([id])
      expect(looks.length).toBeLessThan(12)
      await look() // which removes what the index had of them before
      expect(await rowsRead(look)).toBeLessThan(300)
      await parkedUntil(workspace, rig.store.now() - 60_000)
      expect(await claim(256, 32)).toMatchObject({ ids: [expect.any(String)], isMore: false })
    })

    it('are left to the sweeper once something else wakes them and nobody comes', async () => {
      const workspace = await rig.newWorkspace()
      const ids = []
      for (let n = 0; n < 4; n += 1) ids.push(await parkedUntil(workspace, rig.store.now() - 1))
      expect((await claim(9)).ids.toSorted()).toEqual(ids.toSorted())
      expect(await claim(9, 1)).toMatchObject({ ids: [], isMore: true })
      await rig.sql('UPDATE executions SET wake_at = wes_now() - 6000 WHERE id = $1', [ids[0]])
      expect(await claim(9)).toMatchObject({ ids: [], isMore: false })
      expect((await rig.store.engine.overdue({ graceMs: 5_000, limit: 9 })).ids).toEqual([ids[0]])
    })
  })

  it('are claimed in time, however often the sweeper found the row before', async () => {
    const workspace = await rig.newWorkspace()
    const dueAt = rig.store.now() + 60_000
    const id = await parkedUntil(workspace, dueAt)
    await rig.sql('UPDATE executions SET wake_at = wes_now() - 6000, sweeps = 9 WHERE id = $1', [id])
    expect((await rig.store.engine.overdue({ graceMs: 5_000, limit: 9 })).ids).toEqual([id])
    expect((await load(id)).wakeAt).toBe(dueAt)
  })

  it('of one workspace do not wait for those of another, however many these are', async () => {
    const [many, one] = [await rig.newWorkspace(), await rig.newWorkspace()]
    const now = rig.store.now()
    const ofMany = []
    for (let n = 0; n < 9; n += 1) ofMany.push(await parkedUntil(many, now - 9_000 + n))
    expect(await claim(8, 2)).toMatchObject({ ids: ofMany.slice(0, 2), isMore: true })
    const [key] = (await claim(8, 2)).timers.map(({ workspace }) => workspace)
    const ofOne = await parkedUntil(one, now - 1)
    expect((await claim(4)).ids.toSorted()).toEqual([ofMany[4]!, ofMany[5]!, ofOne].toSorted())
    expect(await claim(8, 2, [key!])).toMatchObject({ ids: [], isMore: false })
  })
})

it('reads 4 MiB of outcomes of one Execution, and not as much of each of many that are read together', async () => {
  const MIB = 1024 ** 2
  const workspace = await rig.newWorkspace()
  const data = JSON.stringify({ result: 'x'.repeat(MIB / 2) })
  const withOutcomes = async () => {
    const commands = Array.from({ length: 9 }, (_, index) => effect(index + 1, rig.store.now()))
    const { id } = await parked(workspace, ...commands)
    for (const { command } of commands) {
      await rig.store.engine.outcome({ executionId: id, command, attempt: 1 }, { kind: 'result', data })
    }
    return id
  }
  const bytesOf = async (id: string) => {
    const { outcomes, unread } = await load(id)
    expect(outcomes.length + unread.length).toBe(9)
    return outcomes.reduce((sum, outcome) => sum + outcome.data.length, 0)
  }
  const ids = await Promise.all(Array.from({ length: 16 }, withOutcomes))
  expect(Math.round((2 * (await bytesOf(ids[0]!))) / MIB)).toBe(7)
  const bytes = await Promise.all(ids.map(bytesOf))
  expect(Math.min(...bytes)).toBeGreaterThan(0)
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(16 * MIB)
})

it('lets workspaces take turns from claim to claim where they are more than it may have', async () => {
  const all = [await startMany(3), await startMany(3), await startMany(3)]
  await makeOverdue(...all)
  const claimed: string[] = []
  for (let n = 0; n < 9; n += 1) {
    const { ids } = await rig.store.engine.overdue({ graceMs: 5_000, limit: 1 })
    claimed.push(...ids)
  }
  const turns = claimed.map((id) => all.findIndex((ids) => ids.includes(id)))
  expect([0, 3, 6].map((n) => turns.slice(n, n + 3).toSorted())).toEqual(Array(3).fill([0, 1, 2]))
})

describe('addresses of workers', () => {
  const note = (own: string, release: string, ...others: string[]) =>
    rig.store.engine.noteAddress(own, release, others).then((newer) => newer.toSorted())
  beforeEach(() => rig.sql('DELETE FROM worker_addresses'))

  it('are in the order in which a release first came to each, however often it comes back', async () => {
    expect(await note('r1', '1')).toEqual([])
    expect(await note('r2', '2', 'r1')).toEqual([])
    expect(await note('r1', '1', 'r2')).toEqual(['r2'])
    expect(await note('r3', '3', 'r2', 'r1')).toEqual([])
    expect(await note('r1', '1', 'r2', 'r3')).toEqual(['r2', 'r3'])
    expect(await note('r2', '2', 'r1')).toEqual([])
    // Back to the first release, at another address.
    expect(await note('r1-again', '1', 'r3')).toEqual([])
    expect(await note('r3', '3', 'r1-again')).toEqual(['r1-again'])
  })

  it('count anew for another release that comes to one', async () => {
    await note('blue', '1')
    await note('green', '2', 'blue')
    expect(await note('blue', '3', 'green')).toEqual([])
    expect(await note('green', '2', 'blue')).toEqual(['blue'])
    expect(await note('blue', '1', 'green')).toEqual(['green'])
  })

  it('of workers that do not note them are in the order in which others found them', async () => {
    expect(await note('r2', '2', 'r1')).toEqual([])
    expect(await note('r2', '2', 'r1', 'went back')).toEqual(['went back'])
  })

  it('are forgotten 30 days after nobody was there any more', async () => {
    await note('r1', '1')
    await note('r2', '2')
    await rig.sql(`UPDATE worker_addresses SET heard_at = heard_at - 2592000001`)
    expect(await note('r2', '2')).toEqual([])
    expect(await note('r1', '1', 'r2')).toEqual([])
  })
})

it('tells of every change once, in an order that never changes', async () => {
  const workspace = await rig.newWorkspace()
  const { changes } = rig.store
  const mark = await changes.latest()
  const { key, id } = await workspace.start()
  await workspace.accept.requestCancel(key)
  await workspace.store.executions.delete(key)
  const read = async (from: ChangeMark) => {
    const after = await changes.after(from, 100)
    if (after.kind === 'gone') throw new Error(after.kind)
    return after.items.filter(({ workspaceId }) => workspaceId === workspace.workspaceId)
  }
  await expect.poll(async () => (await read(mark)).length).toBe(4)
  const all = await read(mark)
  expect(all).toMatchObject([
    { kind: 'program', programId: 'order', versionNumber: 1 },
    { kind: 'execution', key, executionId: id, status: 'queued' },
    { kind: 'execution', status: 'cancelled' },
    { kind: 'execution', status: 'cancelled', deleted: true },
  ])
  expect(await read(all[1]!.mark)).toEqual(all.slice(2))
  const { idOf, markOf } = await changes.idsOf(workspace.workspaceId)
  expect(markOf(idOf(all[1]!.mark))).toEqual(all[1]!.mark)
  expect(await changes.after(markOf('0.1.1'), 10)).toEqual({ kind: 'gone' })
})

it('tells of the changes of an Execution in their order, whichever transaction began first', async () => {
  const workspace = await rig.newWorkspace()
  const { changes } = rig.store
  const { key } = await parked(workspace, wait(1, 'paid', rig.store.now()))
  const mark = await changes.latest()
  const [own] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspace.workspaceId])
  const first = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(first.close)
  await first.run('BEGIN')
  await first.run('SELECT pg_current_xact_id()')
  await workspace.accept.receive(key, { id: 'evt_1', name: 'paid' })
  await first.run('SELECT wes_cancel($1, $2)', [own!.key, key])
  expect(await changes.after(mark, 10)).toMatchObject({ items: [] })
  await first.run('COMMIT')
  const told = async () => {
    const after = await changes.after(mark, 10)
    return after.kind === 'gone'
      ? []
      : after.items.flatMap((change) => (change.kind === 'execution' ? change.status : []))
  }
  await expect.poll(told).toEqual(['running', 'cancelling'])
})

it('does not know a change that is later than all of them, because the database was restored', async () => {
  const { changes } = rig.store
  const now = await changes.latest()
  for (const xid of [now.xid + 1_000_000n, 2n ** 64n - 1n]) {
    expect(await changes.after({ ...now, xid }, 10)).toEqual({ kind: 'gone' })
  }
})
