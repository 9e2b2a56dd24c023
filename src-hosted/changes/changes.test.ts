import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { EventSink } from '../../src-runtime/contract/operations.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { openHostedStore } from '../store/open-hosted-store.ts'
import { createChangeTail } from './change-tail.ts'
import { createChangeStreams, type ChangeStreams } from './hosted-changes.ts'
import { openNoticeBoard, type NoticeBoard } from './notice-board.ts'
import type { ChangeMark } from '../store/store.ts'
import { createWaiters, type Waiters } from './waiters.ts'

const rig = hostedRig()
const log = pino({ level: 'silent' })

type Api = { readonly waiters: Waiters; readonly streams: ChangeStreams; readonly board: NoticeBoard }

/** As one API process has them, which looks more often. `readByTail`: the store, for the tail alone; `readByStreams`: for streams that catch up. */
const startApi = (readByTail = rig.store.changes, readByStreams = rig.store.changes): Api => {
  const waiters = createWaiters({ store: rig.store.engine, log })
  const tail = createChangeTail({ store: readByTail, log, lookEveryMs: 20 })
  const streams = createChangeStreams({ store: readByStreams, tail, waiters })
  const board = openNoticeBoard({
    notices: rig.store.notices,
    onEnded: waiters.ended,
    onChanged: tail.look,
    onGap: waiters.look,
  })
  onTestFinished(waiters.stop)
  onTestFinished(tail.stop)
  onTestFinished(streams.close)
  onTestFinished(board.stop)
  return { waiters, streams, board }
}

/** Reads a stream as a browser does. */
const startReader = async (api: Api, workspaceId: string, lastEventId?: string) => {
  let text = ''
  let isReady = true
  let isEnded = false
  let onDrained = (): void => {}
  const sink: EventSink = {
    isReady: () => isReady,
    write: (part) => (text += String(part)),
    onDrained: (listener) => (onDrained = listener),
    end: () => void (isEnded = true),
  }
  const stream = await api.streams.changesOf(workspaceId).stream({ projectId: undefined, lastEventId })
  const leave = stream(sink)
  onTestFinished(leave)
  return {
    leave,
    /** Ids of the Executions that it was told of. */
    told: () => [...text.matchAll(/"executionId":"(exe_\w+)"/g)].map(([, id]) => id),
    lastId: () => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '',
    text: () => text,
    isEnded: () => isEnded,
    stopReading: () => (isReady = false),
    readOn: () => {
      isReady = true
      onDrained()
    },
  }
}

const until = (condition: () => boolean) => vi.waitUntil(condition, { interval: 10 })

it('tells the changes of its workspace, in order, whichever process commits', async () => {
  const [ours, theirs] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const reader = await startReader(startApi(), ours.workspaceId)
  const heads = [await ours.start(), await ours.start()]
  await theirs.start()
  heads.push(await ours.start())
  await until(() => reader.told().length >= 3)
  expect(reader.told()).toEqual(heads.map(({ id }) => id))
})

it('goes on in another process behind the last id, without a gap and without a repetition', async () => {
  const { workspaceId, start } = await rig.newWorkspace()
  const first = await startReader(startApi(), workspaceId)
  const one = await start()
  await until(() => first.told().length === 1)
  const behindOne = first.lastId()
  const missed = [await start(), await start()]
  const second = await startReader(startApi(), workspaceId, behindOne)
  const later = await start()
  await until(() => second.told().length >= 3)
  expect(second.told()).toEqual([...missed, later].map(({ id }) => id))
  expect(first.told()[0]).toBe(one.id)
})

it('is up to date behind the last change, whatever was committed since that is no change', async () => {
  const { changes } = rig.store
  const { workspaceId, start } = await rig.newWorkspace()
  const reader = await startReader(startApi(), workspaceId)
  await start()
  await until(() => reader.told().length === 1)
  await rig.newWorkspace()
  const now = await changes.latest()
  const page = await changes.after((await changes.idsOf(workspaceId)).markOf(reader.lastId()), 10)
  expect(page).toMatchObject({ kind: 'changes', items: [] })
  expect(page.kind === 'changes' && changes.compare(page.readTo, now)).toBeGreaterThanOrEqual(0)
})

it.each(['of another service', 'A'.repeat(22), '0123456789abcdef0123456789abcdef.1.1', 'x'.repeat(10_000)])(
  'says reset where what was missed is not known: %s',
  async (id) => {
    const { workspaceId } = await rig.newWorkspace()
    const reader = await startReader(startApi(), workspaceId, id)
    await until(() => reader.text().includes('event: reset'))
    expect(reader.told()).toEqual([])
  },
)

it('says reset where another workspace was shown the id', async () => {
  const [ours, theirs] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const api = startApi()
  const their = await startReader(api, theirs.workspaceId)
  await until(() => their.lastId() !== '')
  const atBegin = their.lastId()
  await theirs.start()
  await until(() => their.told().length === 1)
  for (const id of [atBegin, their.lastId()]) {
    const reader = await startReader(api, ours.workspaceId, id)
    await until(() => reader.text().includes('event: '))
    expect(reader.text()).toContain('event: reset')
  }
})

it('says reset once the stream has another name', async () => {
  const { workspaceId, start } = await rig.newWorkspace()
  const first = await startReader(startApi(), workspaceId)
  await start()
  await until(() => first.told().length === 1)
  const [before] = await rig.sql<{ epoch: string }>('SELECT epoch FROM service')
  onTestFinished(() => rig.sql('UPDATE service SET epoch = $1', [before!.epoch]).then(() => undefined))
  await rig.sql('UPDATE service SET epoch = DEFAULT')
  const restored = await openHostedStore({ url: rig.url, connections: { app: 1, worker: 1 } })
  onTestFinished(restored.close)
  const reader = await startReader(startApi(restored.changes, restored.changes), workspaceId, first.lastId())
  await until(() => reader.text().includes('event: '))
  expect(reader.text()).toContain('event: reset')
})

it('shows ids that tell nothing of what others write', async () => {
  const [ours, theirs] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const api = startApi()
  const idNow = async () => {
    const reader = await startReader(api, ours.workspaceId)
    await until(() => reader.lastId() !== '')
    return reader.lastId()
  }
  const quiet = [await idNow(), await idNow()]
  await theirs.start()
  const ids = [...quiet, await idNow()]
  expect(new Set(ids).size).toBe(3)
  const reader = await startReader(api, ours.workspaceId)
  await ours.start()
  await until(() => reader.told().length === 1)
  ids.push(reader.lastId())
  const [{ xid } = { xid: '' }] = await rig.sql<{ xid: string }>('SELECT max(xid)::text AS xid FROM changes')
  for (const id of ids) {
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(Buffer.from(id, 'base64url').toString('hex')).not.toContain(BigInt(xid).toString(16).padStart(8, '0'))
  }
})

it('lets a reader that could not keep up read what it missed', async () => {
  const { workspaceId, start } = await rig.newWorkspace()
  const api = startApi()
  const [slow, quick] = [await startReader(api, workspaceId), await startReader(api, workspaceId)]
  const heads = [await start()]
  await until(() => slow.told().length === 1 && quick.told().length === 1)
  slow.stopReading()
  heads.push(await start(), await start())
  await until(() => quick.told().length === 3)
  expect(slow.told()).toHaveLength(1)
  slow.readOn()
  heads.push(await start())
  await until(() => slow.told().length === 4)
  expect(slow.told()).toEqual(heads.map(({ id }) => id))
})

it('reads from the store for its readers what the tail could not read', async () => {
  const workspace = await rig.newWorkspace()
  const { after } = rig.store.changes
  const reading = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  let fails = false
  const api = startApi({
    ...rig.store.changes,
    after: async (...asked) => {
      if (!fails) return after(...asked)
      fails = false
      reading.resolve()
      await committed.promise
      return { kind: 'gone' }
    },
  })
  const reader = await startReader(api, workspace.workspaceId)
  fails = true
  await reading.promise
  const { id } = await workspace.start()
  committed.resolve()
  await until(() => reader.told().length > 0)
  expect(reader.told()).toEqual([id])
})

it('tells nothing twice to a reader that has read more than the tail', async () => {
  const { changes } = rig.store
  const { workspaceId, start } = await rig.newWorkspace()
  const since = await changes.latest()
  const goOn = Promise.withResolvers<void>()
  let hasBegun = false
  let hasRead = false
  const api = startApi({
    ...changes,
    after: async (mark, limit) => {
      hasBegun = true
      const page = await changes.after(mark, limit)
      hasRead ||= page.kind === 'changes' && page.items.length > 0
      if (hasRead) await goOn.promise
      return page
    },
  })
  const first = await startReader(api, workspaceId)
  await until(() => hasBegun)
  const heads = [await start()]
  await until(() => hasRead)
  heads.push(await start())
  await vi.waitUntil(async () => {
    const page = await changes.after(since, 10)
    return page.kind === 'changes' && page.items.filter(({ kind }) => kind === 'execution').length === 2
  })
  const second = await startReader(api, workspaceId, (await changes.idsOf(workspaceId)).idOf(since))
  await until(() => second.told().length === 2)
  goOn.resolve()
  await until(() => first.told().length === 2)
  heads.push(await start())
  await until(() => first.told().length === 3 && second.told().length >= 3)
  for (const { told } of [first, second]) expect(told()).toEqual(heads.map(({ id }) => id))
})

it('serves a reader that comes while the tail reads for one that has just left', async () => {
  const { workspaceId, start } = await rig.newWorkspace()
  const read = Promise.withResolvers<void>()
  let isHeld = false
  let onHeld = (): void => {}
  const api = startApi({
    ...rig.store.changes,
    after: async (...from) => {
      const page = await rig.store.changes.after(...from)
      if (isHeld) {
        onHeld()
        await read.promise
      }
      return page
    },
  })
  const leaving = await api.streams.changesOf(workspaceId).stream({ projectId: undefined, lastEventId: undefined })
  const leave = leaving({ isReady: () => true, write: () => {}, onDrained: () => {}, end: () => {} })
  const held = new Promise<void>((resolve) => (onHeld = resolve))
  isHeld = true
  await held
  leave()
  const reader = await startReader(api, workspaceId)
  await until(() => reader.lastId() !== '')
  await new Promise((resolve) => setTimeout(resolve, 100)) // it has read the store, and waits for the tail
  isHeld = false
  read.resolve()
  const { id } = await start()
  await until(() => reader.told().length > 0)
  expect(reader.told()).toEqual([id])
})

it('reads little at once for streams that catch up, once for those that missed the same, and nothing for those that have left', async () => {
  const [busy, quiet] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const { changes } = rig.store
  const now = await changes.latest()
  const [ids, idsOfQuiet] = [await changes.idsOf(busy.workspaceId), await changes.idsOf(quiet.workspaceId)]
  const shown = [ids.idOf(now)]
  const known = await startReader(startApi(), busy.workspaceId)
  for (const count of [1, 2, 3]) {
    await busy.start()
    await until(() => known.told().length === count)
    shown.push(known.lastId())
  }
  const goOn = Promise.withResolvers<void>()
  const read: ChangeMark[] = []
  const api = startApi(changes, {
    ...changes,
    after: async (mark, limit) => {
      read.push(mark)
      await goOn.promise
      return changes.after(mark, limit)
    },
  })
  const [one, two, three, four] = shown as [string, string, string, string]
  const first = await startReader(api, busy.workspaceId, one)
  const same = await startReader(api, busy.workspaceId, one)
  await startReader(api, busy.workspaceId, two)
  const third = await startReader(api, busy.workspaceId, three)
  const leaving = [await startReader(api, busy.workspaceId, four), await startReader(api, busy.workspaceId, four)]
  await startReader(api, quiet.workspaceId, idsOfQuiet.idOf(now))
  await new Promise((resolve) => setImmediate(resolve))
  expect(read).toEqual([now, ids.markOf(two), now])
  for (const { leave } of leaving) leave()
  goOn.resolve()
  await until(() => third.told().length === 1)
  for (const reader of [first, same]) {
    await until(() => reader.told().length === 3)
    expect(reader.told()).toEqual(known.told())
  }
  expect(read).not.toContainEqual(ids.markOf(four))
})

it('answers those who wait for an end: by a hint of another process, and without one', async () => {
  const { start, commit } = await rig.newWorkspace()
  const [here, there] = [startApi(), startApi()]
  const end = async (id: string) => {
    const finishedAt = rig.store.now()
    const entries = [{ at: finishedAt, type: 'execution_completed', data: '{}' } as const]
    await commit(id, { entries, status: 'completed', finishedAt, turns: 1 })
  }
  const heads = [await start(), await start()]
  const ended: number[] = []
  for (const { key } of heads) here.waiters.whenTerminal(key, () => ended.push(key))
  await end(heads[0]!.id)
  there.board.publish(heads[0]!.key, true)
  await until(() => ended.length === 1)
  expect(ended).toEqual([heads[0]!.key])
  await end(heads[1]!.id)
  await until(() => ended.length === 2)
})

it('tells what an Execution has led to where that is known', () => {
  const { waiters, board } = startApi()
  const listener = vi.fn<(outcome?: unknown) => void>()
  waiters.whenTerminal(1, listener)
  const outcome = { status: 'completed', result: '{"result":1}' } as const
  board.publish(1, true, outcome)
  expect(listener).toHaveBeenCalledExactlyOnceWith(outcome)
})

it('calls back when the service stops, and not after it was called off', () => {
  const { waiters } = startApi()
  const listener = vi.fn<() => void>()
  waiters.whenTerminal(1, listener)()
  waiters.whenTerminal(2, listener)
  waiters.stop()
  expect(listener).toHaveBeenCalledOnce()
  waiters.whenTerminal(3, listener)
  expect(listener).toHaveBeenCalledTimes(2)
})

it('ends the streams of a process that stops, also those that begin later', async () => {
  const { workspaceId } = await rig.newWorkspace()
  const api = startApi()
  const before = await startReader(api, workspaceId)
  expect(before.isEnded()).toBe(false)
  api.streams.close()
  const after = await startReader(api, workspaceId)
  expect([before.isEnded(), after.isEnded()]).toEqual([true, true])
})
