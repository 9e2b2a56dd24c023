import { describe, expect, it } from 'vitest'
import type { OpenCommand } from '../engine/execution-state.ts'
import { START, openRig } from './store-rig.test-support.ts'

const wait = (command: number, name: string, dueAt?: number): OpenCommand => ({
  kind: 'event',
  command,
  name,
  since: START,
  ...(dueAt === undefined ? {} : { dueAt }),
})
const timer = (command: number, dueAt: number): OpenCommand => ({ kind: 'timer', command, since: START, dueAt })
const effect = (command: number, attempt = 1): OpenCommand => ({
  kind: 'effect',
  command,
  name: 'charge',
  since: START,
  attempt,
  options: { retry: { maxAttempts: 3 }, timeoutMs: 10 },
})
const received = (name: string, id: string, at = START) =>
  ({ at, type: 'event_received', name, data: `{"id":"${id}","payload":"${name}"}` }) as const

describe('starting', () => {
  it('writes the row and its first entry', async () => {
    const { store, start, deploy } = openRig()
    const { versionId } = await deploy('order')
    const head = await start('order', { data: '{"input":{"__proto__":1}}' })
    expect(head).toEqual({
      key: head.key,
      id: head.id,
      projectId: 'default',
      programId: 'order',
      versionId,
      versionNumber: 1,
      status: 'queued',
      createdAt: START,
      lastPosition: 1,
      turns: 0,
      lastCommand: 0,
      cancelDelivered: false,
      buffered: 0,
      bufferedBytes: 0,
    })
    expect(store.executions.head(head.key)).toEqual(head)
    expect(store.executions.record(head.key)).toEqual({ head, waitingFor: [] })
    expect(store.executions.load(head.key)).toEqual({ head, open: [], buffered: [] })
    expect(store.executions.keyOf(head.id)).toBe(head.key)
    expect(store.journal.page(head.key, 0, 10)).toEqual({
      items: [{ position: 1, at: START, type: 'execution_started', data: '{"input":{"__proto__":1}}' }],
      more: false,
    })
  })

  it('finds nothing for an unknown Execution', async () => {
    const { store } = openRig()
    expect(store.executions.keyOf('exe_none')).toBeUndefined()
    expect(store.executions.head(7)).toBeUndefined()
    expect(store.executions.record(7)).toBeUndefined()
    expect(store.executions.load(7)).toBeUndefined()
    expect(await store.executions.change(7, () => ({ status: 'running' }))).toBeUndefined()
  })

  it('refuses a version that is not stored, and an id that exists', async () => {
    const { store, start, newExecution, deploy } = openRig()
    const ofNone = newExecution({ versionId: 'ver_none', number: 1 })
    expect(await store.executions.start(ofNone)).toEqual({ kind: 'version_gone' })
    const { id } = await start()
    await expect(store.executions.start(newExecution(await deploy('order'), { id }))).rejects.toThrow(/UNIQUE/)
  })

  it('makes keys grow with creation, also after a restart', async () => {
    const first = openRig()
    const one = await first.start()
    await first.store.close()
    const second = openRig(first.file)
    const two = await second.start()
    expect(two.key).toBeGreaterThan(one.key)
  })
})

describe('idempotency keys', () => {
  const sent = (key: string, bodyHash = 'hash') => ({ idempotency: { key, bodyHash } })

  it('return the first Execution for the same start, and a conflict for another body', async () => {
    const { store, deploy, newExecution } = openRig()
    const version = await deploy('order')
    const [first, again, other] = await Promise.all([
      store.executions.start(newExecution(version, sent('k'))),
      store.executions.start(newExecution(version, sent('k'))),
      store.executions.start(newExecution(version, sent('k', 'another hash'))),
    ])
    if (first.kind !== 'started') throw new Error(first.kind)
    expect(again).toEqual({ kind: 'repeated', key: first.head.key })
    expect(other).toEqual({ kind: 'conflict' })
    expect((await store.overview.list({ projectId: 'default', limit: 10 })).items).toHaveLength(1)
    expect(store.executions.startedWith('default', 'k')).toEqual({ key: first.head.key, bodyHash: 'hash' })
    expect(store.executions.startedWith('default', 'another')).toBeUndefined()
  })

  it('belong to a project', async () => {
    const { store, deploy, newExecution } = openRig()
    await store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: START })
    const here = await deploy('order')
    const there = await deploy('order', { projectId: 'prj_1' })
    const starts = await Promise.all(
      [here, there].map((version) => store.executions.start(newExecution(version, sent('k')))),
    )
    expect(starts.map(({ kind }) => kind)).toEqual(['started', 'started'])
    expect(store.executions.startedWith('prj_1', 'k')?.key).not.toBe(store.executions.startedWith('default', 'k')?.key)
  })

  it('are kept for 24 hours and then removed', async () => {
    const { store, db, clock, deploy, newExecution } = openRig()
    const version = await deploy('order')
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.executions.start(newExecution(version, sent(`k${n}`)))),
    )
    clock.now += 24 * 60 * 60 * 1000 - 1
    expect(await store.executions.start(newExecution(version, sent('k0')))).toMatchObject({ kind: 'repeated' })
    expect(store.executions.startedWith('default', 'k0')).toBeDefined()
    clock.now += 1
    expect(store.executions.startedWith('default', 'k0')).toBeUndefined()
    expect(await store.executions.start(newExecution(version, sent('k0', 'new')))).toMatchObject({ kind: 'started' })
    expect(await store.executions.start(newExecution(version, sent('k0', 'new')))).toMatchObject({ kind: 'repeated' })
    for (let n = 0; n < 20; n++) await store.executions.start(newExecution(version, sent(`new${n}`)))
    expect(db.prepare('SELECT count(*) FROM idempotency').pluck().get()).toBe(21)
    expect(db.prepare('SELECT count(*) FROM idempotency WHERE created_at = ?').pluck().get(START)).toBe(0)
  })

  it('are removed although each runtime stores only one', async () => {
    const first = openRig()
    const version = await first.deploy('order')
    const keys = Array.from({ length: 100 }, (_, n) => `k${n}`)
    await Promise.all(keys.map((key) => first.store.executions.start(first.newExecution(version, sent(key)))))
    await first.store.close()
    for (const key of ['l', 'm']) {
      const { store, clock, newExecution } = openRig(first.file)
      clock.now = START + 24 * 60 * 60 * 1000
      await store.executions.start(newExecution(version, sent(key)))
      await store.close()
    }
    const { db } = openRig(first.file)
    expect(db.prepare('SELECT key FROM idempotency ORDER BY key').pluck().all()).toEqual(['l', 'm'])
  })
})

describe('changing', () => {
  it('appends entries in order and updates the counters', async () => {
    const { store, start } = openRig()
    const { key } = await start()
    const changed = await store.executions.change(key, ({ head }) => {
      expect(head).toEqual(store.executions.head(key))
      return {
        entries: [
          { at: START + 1, type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' },
          { at: START + 2, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: '{}' },
          { at: START + 3, type: 'event_delivered', command: 2, name: 'paid', source: 1, data: '{}' },
          { at: START + 4, type: 'cancel_requested' },
        ],
        status: 'cancelling',
        startedAt: START + 1,
        cancelRequestedAt: START + 4,
        cancelDelivered: true,
        turns: 3,
        lastCommand: 2,
      }
    })
    expect(changed).toMatchObject({
      firstPosition: 2,
      change: { turns: 3 },
      head: {
        status: 'cancelling',
        startedAt: START + 1,
        cancelRequestedAt: START + 4,
        cancelDelivered: true,
        lastPosition: 5,
        turns: 3,
        lastCommand: 2,
      },
    })
    expect(store.executions.head(key)).toEqual(changed?.head)
    expect(store.journal.page(key, 1, 10).items).toEqual([
      { position: 2, at: START + 1, type: 'effect_scheduled', command: 1, name: 'charge', data: '{"input":1}' },
      { position: 3, at: START + 2, type: 'effect_attempt_failed', command: 1, name: 'charge', attempt: 1, data: '{}' },
      { position: 4, at: START + 3, type: 'event_delivered', command: 2, name: 'paid', source: 1, data: '{}' },
      { position: 5, at: START + 4, type: 'cancel_requested' },
    ])
  })

  it('writes nothing if the decision is to do nothing', async () => {
    const { store, start, reports } = openRig()
    const head = await start()
    reports.length = 0
    expect(await store.executions.change(head.key, () => undefined)).toEqual({
      head,
      change: undefined,
      firstPosition: 2,
    })
    expect(reports).toEqual([])
  })

  it('opens, closes and reschedules commands', async () => {
    const { store, start, change } = openRig()
    const { key } = await start()
    await change(key, {
      opened: [wait(1, 'paid'), wait(2, 'paid', START + 50), timer(3, START + 70), effect(4)],
      lastCommand: 4,
      status: 'waiting',
    })
    const all = [wait(1, 'paid'), wait(2, 'paid', START + 50), timer(3, START + 70), effect(4)]
    expect(store.executions.load(key)?.open).toEqual(all)
    expect(store.executions.record(key)?.waitingFor).toEqual(all)

    await change(key, { closed: [2, 3], rescheduled: [{ ...effect(4, 2), dueAt: START + 500 }] })
    expect(store.executions.load(key)?.open).toEqual([wait(1, 'paid'), { ...effect(4, 2), dueAt: START + 500 }])

    const early = { ...wait(1, 'paid', START + 5), early: true } as const
    await change(key, { rescheduled: [early] })
    expect(store.executions.load(key)?.open).toEqual([early, { ...effect(4, 2), dueAt: START + 500 }])

    await change(key, { closed: 'all', opened: [timer(5, START + 9)], lastCommand: 5 })
    expect(store.executions.load(key)?.open).toEqual([timer(5, START + 9)])
  })

  it('refuses to close or reschedule a command that is not open, and to open one with a wrong number', async () => {
    const { start, change } = openRig()
    const { key } = await start()
    await expect(change(key, { closed: [1] })).rejects.toThrow('not open')
    await expect(change(key, { rescheduled: [timer(1, 1)] })).rejects.toThrow('not open')
    await expect(change(key, { opened: [timer(1, 1)] })).rejects.toThrow('not counted')
    await expect(change(key, { consumed: [1] })).rejects.toThrow('buffered at 1')
  })

  it('tells the decision whether a wait for the event is open', async () => {
    const { store, start, change } = openRig()
    const { key } = await start()
    await change(key, { opened: [wait(1, 'a'), wait(2, 'b', START + 10), timer(3, START)], lastCommand: 3 })
    const answers: boolean[] = []
    await store.executions.change(key, ({ hasOpenWait }) => {
      answers.push(hasOpenWait('a', START + 1e9), hasOpenWait('b', START + 9), hasOpenWait('b', START + 10))
      answers.push(hasOpenWait('c', START))
      return undefined
    })
    expect(answers).toEqual([true, true, false, false])
  })

  it('buffers received events until they are consumed', async () => {
    const { store, start, change } = openRig()
    const { key } = await start()
    await change(key, {
      entries: [received('a', 'evt_1'), { at: START, type: 'log', data: '{}' }, received('b', 'evt_2')],
    })
    expect((await change(key, { entries: [received('a', 'evt_3')] })).buffered).toBe(3)
    expect(store.executions.load(key)?.buffered).toEqual([
      { position: 2, id: 'evt_1', name: 'a', receivedAt: START, bytes: 28 },
      { position: 4, id: 'evt_2', name: 'b', receivedAt: START, bytes: 28 },
      { position: 5, id: 'evt_3', name: 'a', receivedAt: START, bytes: 28 },
    ])
    // Received and delivered by one change.
    expect((await change(key, { entries: [received('c', 'evt_4')], consumed: [4, 6] })).buffered).toBe(2)
    expect(store.executions.load(key)?.buffered.map(({ id }) => id)).toEqual(['evt_1', 'evt_3'])
    expect((await change(key, { consumed: 'all' })).buffered).toBe(0)
    expect(store.executions.load(key)?.buffered).toEqual([])
  })

  it('finds an event’s id anywhere in the data, and counts its bytes', async () => {
    const { store, start, change } = openRig()
    const { key } = await start()
    const data = '{"payload":{"id":"not this – ü"},"id":"evt_\\u0031"}'
    await change(key, { entries: [{ at: START, type: 'event_received', name: 'a', data }] })
    const [event] = store.executions.load(key)?.buffered ?? []
    expect(event).toMatchObject({ id: 'evt_1', bytes: Buffer.byteLength(data) })
    expect(store.executions.head(key)?.bufferedBytes).toBe(Buffer.byteLength(data))
    const nameless = { at: START, type: 'event_received', data } as const
    await expect(change(key, { entries: [nameless] })).rejects.toThrow('name and data')
    await expect(change(key, { entries: [{ ...nameless, name: 'a', data: '{}' }] })).rejects.toThrow('no id')
  })

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'leaves nothing open or buffered once it is %s',
    async (status) => {
      const { store, db, start, change } = openRig()
      const { key } = await start()
      await change(key, {
        entries: [received('x', 'evt_1')],
        opened: [wait(1, 'a'), timer(2, START + 5)],
        lastCommand: 2,
      })
      const head = await change(key, {
        entries: [{ at: START, type: `execution_${status}`, data: '{}' }],
        status,
        finishedAt: START + 3,
      })
      expect(head).toMatchObject({ status, finishedAt: START + 3, buffered: 0 })
      expect(store.executions.load(key)).toEqual({ head, open: [], buffered: [] })
      expect(store.executions.record(key)?.waitingFor).toEqual([])
      expect(store.executions.nextDueAt(0)).toBeUndefined()
      for (const table of ['pending', 'inbox']) {
        expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0)
      }
    },
  )

  it('stores the error of a failure', async () => {
    const { store, start, change } = openRig()
    const { key } = await start()
    const error = { code: 'program_error', message: 'no', name: 'Error', stack: 'at x\nat y' } as const
    await change(key, { status: 'failed', error })
    expect(store.executions.record(key)).toMatchObject({ error, waitingFor: [] })
    expect((await store.overview.list({ projectId: 'default', limit: 1 })).items[0]?.error).toEqual(error)
  })
})

describe('due commands', () => {
  it('are ordered by time, Execution and command, from a position on', async () => {
    const { store, start, change } = openRig()
    const [one, two] = [await start(), await start()]
    expect(store.executions.nextDueAt(0)).toBeUndefined()
    await change(two.key, { opened: [timer(1, START + 10), wait(2, 'a', START + 10), wait(3, 'b')], lastCommand: 3 })
    await change(one.key, { opened: [timer(1, START + 20), timer(2, START + 10), effect(3)], lastCommand: 3 })
    const marks = [
      { dueAt: START + 10, key: one.key, command: 2 },
      { dueAt: START + 10, key: two.key, command: 1 },
      { dueAt: START + 10, key: two.key, command: 2 },
      { dueAt: START + 20, key: one.key, command: 1 },
    ]
    const fromStart = { dueAt: 0, key: 0, command: 0 }
    expect(store.executions.due(fromStart, START + 20, 10)).toEqual(marks)
    expect(store.executions.due(fromStart, START + 19, 10)).toEqual(marks.slice(0, 3))
    expect(store.executions.due(fromStart, START + 9, 10)).toEqual([])
    expect(store.executions.due(marks[0]!, START + 20, 2)).toEqual(marks.slice(1, 3))
    expect(store.executions.due(marks[3]!, START + 20, 2)).toEqual([])
    expect(store.executions.nextDueAt(0)).toBe(START + 10)
    expect(store.executions.nextDueAt(START + 10)).toBe(START + 20)
    expect(store.executions.nextDueAt(START + 20)).toBeUndefined()
  })
})

describe('effects that wait for their next attempt', () => {
  it('are read page by page, without those that are damaged', async () => {
    const { store, start, change, db } = openRig()
    const [one, two] = [await start(), await start()]
    const retry = (command: number): OpenCommand => ({ ...effect(command, 2), dueAt: START + 10 })
    await change(one.key, { opened: [retry(1), effect(2), timer(3, START + 10), retry(4)], lastCommand: 4 })
    await change(two.key, { opened: [retry(1)], lastCommand: 1 })
    db.prepare(`UPDATE pending SET options = 'none' WHERE execution = ? AND command = 4`).run(one.key)
    const [next, second] = [
      { key: one.key, command: 4 },
      { key: two.key, effect: retry(1) },
    ]
    expect(store.executions.retries({ key: 0, command: 0 }, 2)).toEqual({
      effects: [{ key: one.key, effect: retry(1) }],
      next,
    })
    expect(store.executions.retries(next, 2)).toEqual({ effects: [second], next: undefined })
  })
})

describe('unfinished work after the process ended', () => {
  it('is everything with work except what timers resume', async () => {
    const { store, start, change } = openRig()
    const [queued, running, cancelling, withEffect, deliverable] = await Promise.all([1, 2, 3, 4, 5].map(() => start()))
    const [parked, timedOut, otherEvent, done, backingOff] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => start('another')),
    )
    if (!queued || !running || !cancelling || !withEffect || !deliverable) throw new Error('not started')
    if (!parked || !timedOut || !otherEvent || !done || !backingOff) throw new Error('not started')
    await change(running.key, { status: 'running' })
    await change(cancelling.key, { status: 'cancelling' })
    await change(withEffect.key, { status: 'waiting', opened: [effect(1)], lastCommand: 1 })
    await change(backingOff.key, {
      status: 'waiting',
      opened: [{ ...effect(1, 2), dueAt: START + 500 }],
      lastCommand: 1,
    })
    await change(deliverable.key, {
      status: 'waiting',
      opened: [wait(1, 'a', START + 10)],
      lastCommand: 1,
      entries: [received('a', 'evt_1', START + 9)],
    })
    await change(parked.key, { status: 'waiting', opened: [wait(1, 'a')], lastCommand: 1 })
    await change(timedOut.key, {
      status: 'waiting',
      opened: [wait(1, 'a', START + 10)],
      lastCommand: 1,
      entries: [received('a', 'evt_1', START + 10)],
    })
    await change(otherEvent.key, {
      status: 'waiting',
      opened: [wait(1, 'a')],
      lastCommand: 1,
      entries: [received('b', 'evt_1')],
    })
    await change(done.key, { status: 'completed' })

    const unfinished = [queued, running, cancelling, withEffect, deliverable].map(({ key }) => key)
    expect(store.executions.unfinished(0, 100)).toEqual({ keys: unfinished, next: undefined })
    expect(store.executions.unfinished(unfinished[4]!, 10)).toEqual({ keys: [], next: undefined })
    const paged: number[] = []
    let pages = 0
    for (let after: number | undefined = 0; after !== undefined; pages++) {
      const page = store.executions.unfinished(after, 1)
      paged.push(...page.keys)
      after = page.next
    }
    expect(paged).toEqual(unfinished)
    expect(pages).toBeGreaterThan(3)
  })

  it('is found in small steps among many with undelivered events', async () => {
    const { store, start, change } = openRig()
    const events = (name: string) => Array.from({ length: 3_000 }, (_, index) => received(name, `evt_${index}`))
    for (let at = 0; at < 10; at++) {
      const { key } = await start()
      await change(key, { status: 'waiting', opened: [wait(1, 'a')], lastCommand: 1, entries: events('b') })
    }
    const last = await start()
    await change(last.key, { status: 'waiting', opened: [wait(1, 'b')], lastCommand: 1, entries: events('b') })
    const pages: (readonly number[])[] = []
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = store.executions.unfinished(after, 200)
      pages.push(page.keys)
      after = page.next
    }
    expect(pages).toEqual([[], [], [last.key]])
  })

  it('is found at once among many that back off', async () => {
    const { store, start, change } = openRig()
    for (let at = 0; at < 300; at++) {
      const { key } = await start()
      const opened = [{ ...effect(1, 2), dueAt: START + 500 }]
      await change(key, { status: 'waiting', opened, lastCommand: 1 })
    }
    const last = await start()
    await change(last.key, { status: 'waiting', opened: [effect(1)], lastCommand: 1 })
    expect(store.executions.unfinished(0, 200)).toEqual({ keys: [last.key], next: undefined })
  })
})

describe('a label', () => {
  it('is stored with its turn', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    const turn = { turns: 1, status: 'waiting', startedAt: START } as const
    expect((await rig.change(key, { ...turn, label: 'Order A-7' })).label).toBe('Order A-7')
    await rig.change(key, { turns: 2 })
    expect(rig.store.executions.head(key)?.label).toBe('Order A-7')
  })
})

describe('the input preview', () => {
  it('is the beginning of the JSON, for small and large inputs', async () => {
    const rig = openRig()
    const previewOf = async (input: unknown) => {
      const { key } = await rig.start('order', { data: JSON.stringify({ input }) })
      const { items } = await rig.store.overview.list({ projectId: 'default', limit: 1 })
      expect(items[0]?.head.key).toBe(key)
      return items[0]?.inputPreview
    }
    expect(await previewOf({ orderId: 'A-7' })).toBe('{"orderId":"A-7"}')
    expect(await previewOf(null)).toBe('null')
    expect(await previewOf(undefined)).toBeUndefined()
    expect(await previewOf('x'.repeat(198))).toBe(`"${'x'.repeat(198)}"`)
    expect(await previewOf('x'.repeat(100_000))).toBe(`"${'x'.repeat(199)}`)
    expect(await previewOf('😀'.repeat(1_500))).toBe(`"${'😀'.repeat(99)}`)
  })
})
