import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OpenCommand } from '../engine/execution-state.ts'
import { isTerminal } from '../engine/journal.ts'
import { ALL_OPEN, PART, createCollectByPart } from './open-command-parts.ts'
import { createSlices, type Span } from './slices.ts'
import { START, openRig, type Rig } from './store-rig.test-support.ts'
import { BLOCK } from './waiting-blocks.ts'

const HOUR = 3_600_000
const PROJECT = { projectId: 'default' }

/** A store whose next Executions are the last ones of the first block, and then those of the second. */
const openBeforeBlockEnds = async (left: number): Promise<Rig> => {
  const rig = openRig()
  await rig.deploy('order')
  rig.db.exec(`UPDATE deleted_keys SET highest = ${BLOCK - 1 - left}`)
  await rig.store.close()
  const next = openRig(rig.file)
  await next.deploy('order')
  return next
}

const event = (name: string, since: number): OpenCommand => ({ kind: 'event', command: 1, name, since })
const retry = (since: number): OpenCommand => ({
  kind: 'effect',
  command: 1,
  name: 'charge',
  since,
  attempt: 2,
  dueAt: START + 9 * HOUR,
  options: {},
})

const wait = async (rig: Rig, open: OpenCommand): Promise<number> => {
  const { key } = await rig.start()
  await rig.change(key, { status: 'waiting', opened: [open], lastCommand: 1 })
  return key
}

const answers = async (rig: Rig) => ({
  groups: (await rig.store.overview.waiting({ ...PROJECT, limit: 50 })).items,
  attention: await rig.store.overview.awaitingAttention(PROJECT),
})

const listedKeys = (rig: Rig, waitingName: string) =>
  rig.store.overview.keys({ ...PROJECT, waitingName }, Number.MAX_SAFE_INTEGER)

const storedBlocks = (rig: Rig) =>
  rig.db.prepare<[], number>('SELECT block FROM waiting_blocks ORDER BY block').pluck().all()

describe('what waits, by block of keys', () => {
  it('is summed up once for a block that is full, and read from that sum after a restart', async () => {
    const rig = await openBeforeBlockEnds(3)
    for (const name of ['a', 'a', 'b', 'c']) await wait(rig, event(name, START))
    rig.clock.now = START + 2 * HOUR
    const before = await answers(rig)
    expect(before.groups.map(({ name, count }) => [name, count])).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ])
    expect(before.attention).toBe(4)
    await rig.store.close()

    const again = openRig(rig.file)
    again.clock.now = rig.clock.now
    expect(storedBlocks(again)).toEqual([0])
    // Proves that no open command of that block is read: there is none left.
    again.db.exec(`DELETE FROM pending WHERE execution < ${BLOCK}`)
    expect(await answers(again)).toEqual(before)
  })

  it('is summed up again after a change of an Execution in the block, also if the process dies', async () => {
    const rig = await openBeforeBlockEnds(2)
    const first = await wait(rig, event('a', START))
    await wait(rig, event('a', START + 1))
    await wait(rig, event('b', START))
    await answers(rig)
    await expect.poll(() => storedBlocks(rig)).toEqual([0])
    await rig.change(first, { status: 'completed', finishedAt: START + 5 })
    expect(storedBlocks(rig)).toEqual([])

    // As after a kill: nothing but the file is left.
    const copy = openRig(rig.file)
    expect((await answers(copy)).groups).toMatchObject([
      { name: 'a', count: 1, oldestSince: START + 1 },
      { name: 'b', count: 1 },
    ])
  })

  it('counts Executions that need attention as they become due, without a change', async () => {
    const rig = await openBeforeBlockEnds(3)
    await wait(rig, event('a', START))
    await wait(rig, event('a', START + 1_000))
    await wait(rig, retry(START))
    await wait(rig, event('a', START + 1_000))
    const countAt = async (now: number) => {
      rig.clock.now = now
      return (await answers(rig)).attention
    }
    expect(await countAt(START)).toBe(1)
    expect(await countAt(START + HOUR)).toBe(2)
    expect(await countAt(START + HOUR + 1_000)).toBe(4)
  })

  it('is listed by name without reading blocks in which nothing waits for that name', async () => {
    const rig = await openBeforeBlockEnds(2)
    const keys = [await wait(rig, event('a', START)), await wait(rig, event('b', START))]
    const next = await wait(rig, event('b', START))
    await answers(rig)
    await expect.poll(() => storedBlocks(rig)).toEqual([0])
    expect(await listedKeys(rig, 'a')).toEqual([keys[0]])
    expect(await listedKeys(rig, 'b')).toEqual([next, keys[1]])
    // The sums do not know this name, so a list of it shows which blocks are read.
    rig.db.exec(`UPDATE pending SET name = 'c'`)
    expect(await listedKeys(rig, 'c')).toEqual([])
    const newest = await wait(rig, event('c', START))
    expect(await listedKeys(rig, 'c')).toEqual([newest, next])
  })

  it('lets other work run after some thousand open commands, however few Executions have them', async () => {
    const rig = openRig()
    // Each name is in several parts of an Execution, which counts once all the same.
    const names = Array.from({ length: PART }, (_, command) => `name ${command % 2_000}`)
    const opened = names.map((name, at): OpenCommand => ({ kind: 'event', command: at + 1, name, since: START }))
    const keys: number[] = []
    for (let wide = 0; wide < 3; wide++) {
      const { key } = await rig.start()
      keys.push(key)
      await rig.change(key, { status: 'waiting', opened, lastCommand: PART })
    }
    rig.clock.now = START + 2 * HOUR
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000)) // every slice has taken its time
    const yields = vi.spyOn(globalThis, 'setImmediate')
    onTestFinished(() => void vi.restoreAllMocks())

    const { items } = await rig.store.overview.waiting({ ...PROJECT, limit: 2 })
    expect(items.map(({ name, count }) => [name, count])).toEqual([
      ['name 0', 3],
      ['name 1', 3],
    ])
    expect(yields).toHaveBeenCalledTimes(8) // two parts for each Execution, the end, and the block
    expect(await rig.store.overview.awaitingAttention(PROJECT)).toBe(3)
    expect(yields).toHaveBeenCalledTimes(9) // from the sum
    rig.clock.now = START
    expect(await rig.store.overview.awaitingAttention(PROJECT)).toBe(0)
    expect(yields).toHaveBeenCalledTimes(13) // the waits are young, so they are counted one by one
    yields.mockClear()
    expect(await listedKeys(rig, 'name 1')).toEqual(keys.toReversed())
    expect(yields).toHaveBeenCalledTimes(3)
    rig.clock.now = START + 2 * HOUR
    yields.mockClear()
    const stale = { ...PROJECT, needsAttention: true, waitingName: 'name 1' }
    expect(await rig.store.overview.keys(stale, Number.MAX_SAFE_INTEGER)).toEqual(keys.toReversed())
    expect(yields).toHaveBeenCalledTimes(3)
  })

  it('is kept for the next pages also if it is of very many names, and then only what needs attention', async () => {
    const rig = openRig()
    await Promise.all(Array.from({ length: 100 }, (_, at) => wait(rig, event(`name ${at}`, START))))
    rig.clock.now = START + 25 * HOUR
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { overview } = rig.store
    const first = await overview.waiting({ ...PROJECT, limit: 50 })
    rig.db.exec('DELETE FROM pending') // proves it: there is none left to read
    const { kind, name, programId } = first.items.at(-1)!
    const second = await overview.waiting({ ...PROJECT, limit: 50, after: { kind, name, programId } })
    expect(new Set([...first.items, ...second.items].map((group) => group.name)).size).toBe(100)
    vi.advanceTimersByTime(10_000)
    expect(await overview.awaitingAttention(PROJECT)).toBe(100)
    expect((await overview.waiting({ ...PROJECT, limit: 50 })).items).toEqual([])
  })

  it('is listed by name soon, although Executions wait for that name thousands of times', async () => {
    const rig = openRig()
    const opened = Array.from({ length: 9_900 }, (_, at): OpenCommand => ({
      kind: 'event',
      command: at + 1,
      name: at < 4_950 ? 'a' : 'b',
      since: START,
    }))
    const keys: number[] = []
    for (let wide = 0; wide < 3; wide++) {
      const { key } = await rig.start()
      await rig.change(key, { status: 'waiting', opened, lastCommand: 9_900 })
      keys.unshift(key)
    }
    expect(await listedKeys(rig, 'b')).toEqual(keys)
  })

  it('is listed in parts that are small at first, because a page needs few', async () => {
    const rig = openRig()
    const opened = Array.from({ length: 300 }, (_, at): OpenCommand => ({ ...event('a', START), command: at + 1 }))
    const keys: number[] = []
    for (let wide = 0; wide < 20; wide++) {
      const { key } = await rig.start()
      await rig.change(key, { status: 'waiting', opened, lastCommand: 300 })
      keys.push(key)
    }
    const counts: number[] = []
    const read = ({ low, high }: Span) => {
      counts.push(keys.filter((key) => key >= low && key < high).length)
      return []
    }
    await createCollectByPart(rig.db, ALL_OPEN)({ low: keys[0]!, high: keys.at(-1)! + 1 }, 50, createSlices(), read)
    expect(counts).toEqual([1, 3, 13, 3])
  })

  it('is right after starts, changes, deletions and rollbacks, asked at any time', async () => {
    const step = fc.record({
      what: fc.constantFrom('wait', 'retry', 'close', 'end', 'delete', 'fail', 'ask'),
      which: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const rig = await openBeforeBlockEnds(5)
        rig.clock.now = START + 2 * HOUR
        const keys = [await wait(rig, event('a', START))]
        const { executions } = rig.store
        const under: Promise<unknown>[] = []
        for (const { what, which } of steps) {
          const key = keys[which % keys.length]!
          if (what === 'wait') keys.push(await wait(rig, event(`name ${which % 3}`, START + (which % HOUR))))
          else if (what === 'retry') keys.push(await wait(rig, retry(START)))
          else if (what === 'ask') under.push(answers(rig))
          else if (what === 'delete') under.push(executions.delete(key))
          else {
            const change = { close: { closed: 'all' }, end: { status: 'completed' }, fail: { closed: [99] } } as const
            const decide = ({ head }: { head: { status: Parameters<typeof isTerminal>[0] } }) =>
              isTerminal(head.status) ? undefined : change[what]
            // Command 99 is not open, so what is written before that is undone.
            under.push(executions.change(key, decide).catch(() => undefined))
          }
        }
        await Promise.all(under)
        const bySql = rig.db
          .prepare<[], { name: string; count: number; oldestSince: number }>(
            `SELECT name, count(DISTINCT execution) AS count, min(since) AS oldestSince FROM pending
             GROUP BY kind, name ORDER BY kind, name`,
          )
          .all()
        const { groups } = await answers(rig)
        expect(groups.map(({ name, count, oldestSince }) => ({ name, count, oldestSince }))).toEqual(bySql)
        for (const { name, count } of bySql) expect(await listedKeys(rig, name)).toHaveLength(count)
        await rig.store.close()
      }),
      { numRuns: 15 },
    )
  })
})
