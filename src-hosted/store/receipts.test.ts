// Events that come at the same moment share a transaction. None of their senders may be able to tell.

import { expect, it } from 'vitest'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()

const startAll = async ({ deploy, start }: WorkspaceRig, count: number) => {
  await deploy('order')
  return Promise.all(Array.from({ length: count }, () => start()))
}

it('takes few transactions for many events', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 40)
  const sendAll = () => Promise.all(heads.map(({ key }) => workspace.accept.receive(key, { id: 'evt', name: 'paid' })))
  expect(await rig.transactionsOf(sendAll)).toBeLessThanOrEqual(3)
  const received = await Promise.all(heads.map(async ({ key }) => workspace.store.journal.entry(key, 2)))
  expect(received.map((entry) => entry?.type)).toEqual(heads.map(() => 'event_received'))
})

it('keeps the order of the events of one Execution, and what they carry', async () => {
  const workspace = await rig.newWorkspace()
  const [one, other] = await startAll(workspace, 2)
  const texts = ['"\\u0000"', '{"a":"\\"ö🐎"}', '1e400', '2', `"${'a'.repeat(100_000)}"`]
  const sendBoth = (payload: string, index: number) =>
    [other!, one!].map(({ key }) => workspace.accept.receive(key, { id: `evt_${index}`, name: 'a\0"b', payload }))
  const kinds = (await Promise.all(texts.slice(0, -1).flatMap(sendBoth))).map(({ kind }) => kind)
  // A large one is written alone, and may be written before those that were sent at the same moment.
  kinds.push(...(await Promise.all(sendBoth(texts.at(-1)!, texts.length - 1))).map(({ kind }) => kind))
  expect(new Set(kinds)).toEqual(new Set(['received']))
  for (const { key } of [one!, other!]) {
    const { items } = await workspace.store.journal.page(key, 1, 10)
    expect(items.every(({ name }) => name === 'a\0"b')).toBe(true)
    expect(items.map(({ data }) => data)).toEqual(texts.map((text, n) => `{"id":"evt_${n}","payload":${text}}`))
  }
})

it('answers each for itself: keys that were sent before, Executions that have ended or are gone', async () => {
  const workspace = await rig.newWorkspace()
  const [first, second, ended] = await startAll(workspace, 3)
  await workspace.accept.requestCancel(ended!.key)
  const send = (key: number, sent?: string, bodyHash = 'h') =>
    workspace.accept.receive(key, {
      ...{ id: 'evt', name: 'paid' },
      ...(sent !== undefined && { idempotency: { key: sent, bodyHash } }),
    })
  await send(first!.key, 'before')
  const answers = await Promise.all([
    send(first!.key, 'before', 'another body'),
    send(first!.key, 'new'),
    send(first!.key, 'new'),
    send(second!.key, 'new'),
    send(ended!.key),
    send(1),
    send(second!.key),
  ])
  expect(answers).toMatchObject([
    { kind: 'repeated', received: { position: 2, bodyHash: 'h' } },
    { kind: 'received', executionId: first!.id },
    { kind: 'repeated', received: { position: 3, bodyHash: 'h' } },
    { kind: 'received', executionId: second!.id },
    { kind: 'finished', status: 'cancelled' },
    { kind: 'gone' },
    { kind: 'received', executionId: second!.id },
  ])
})

it('answers what a visit reads, where an Execution was asleep and visits follow in this process', async () => {
  const workspace = await rig.newWorkspace()
  const accept = rig.store.acceptFor(workspace.workspaceId, { loadsWoken: true })
  const [waiting, other] = await startAll(workspace, 2)
  const wait = { kind: 'event', command: 1, name: 'paid', position: 2, since: rig.store.now() } as const
  await workspace.commit(waiting!.id, { status: 'waiting', turns: 1, lastCommand: 1, opened: [wait] })
  const [woken, again, awake] = await Promise.all([
    accept.receive(waiting!.key, { id: 'evt_1', name: 'paid', payload: '1' }),
    accept.receive(waiting!.key, { id: 'evt_2', name: 'paid' }),
    accept.receive(other!.key, { id: 'evt_3', name: 'paid' }),
  ])
  const { now, ...read } = (await rig.store.engine.load(waiting!.id))!
  expect(woken).toMatchObject({ kind: 'received', wake: true, loaded: { head: { id: waiting!.id }, open: read.open } })
  expect([again, awake].map((received) => 'loaded' in received)).toEqual([false, false])
  expect(now).toBeGreaterThan(0)
})

it('lets one that cannot be stored spoil no other', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const sent = heads.map(({ key }, n) => workspace.accept.receive(key, { id: n === 1 ? 'evt\0' : 'evt', name: 'paid' }))
  const received = { status: 'fulfilled', value: { kind: 'received' } }
  expect(await Promise.allSettled(sent)).toMatchObject([received, { status: 'rejected' }, received])
})
