import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { readInTurn } from './read-in-turn.ts'

const rig = hostedRig()

it('reads no more at once than it may, when much is asked for', async () => {
  const { engine } = rig.store
  let [reading, most] = [0, 0]
  const load: typeof engine.load = async (id) => {
    reading += 1
    most = Math.max(most, reading)
    const read = await engine.load(id)
    reading -= 1
    return read
  }
  const { id } = await (await rig.newWorkspace()).start()
  const inTurn = readInTurn({ ...engine, load }, 6)
  const reads = await Promise.all(Array.from({ length: 100 }, () => inTurn.load(id)))
  expect(reads.every((read) => read?.head.id === id)).toBe(true)
  expect(most).toBe(6)
})

/** Reads one at a time, and the first one when it is told to. */
const slowEngine = (waitMs?: number) => {
  const { engine } = rig.store
  const begun: string[] = []
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const load: typeof engine.load = async (id) => {
    begun.push(id)
    if (begun.length === 1) await promise
    return engine.load(id)
  }
  return { engine: readInTurn({ ...engine, load }, 1, waitMs), begun, goOn }
}

it('lets workspaces take turns', async () => {
  const [busy, quiet] = [await rig.newWorkspace(), await rig.newWorkspace()]
  const many = await Promise.all(Array.from({ length: 50 }, () => busy.start()))
  const { id: single } = await quiet.start()
  const { engine, begun, goOn } = slowEngine()
  const reads = [...many.map(({ id }) => id), single].map((id) => engine.load(id))
  // The workspaces of those that wait are asked for one after another.
  await engine.workspaceOf(single)
  await engine.workspaceOf(single)
  goOn()
  await Promise.all(reads)
  expect(begun.indexOf(single)).toBeLessThanOrEqual(2)
})

it('keeps visits and first attempts from waiting behind many repeats', async () => {
  const begun: string[] = []
  const takeAttempt = async ({ executionId }: { readonly executionId: string }) => {
    begun.push(executionId)
    return { kind: 'gone' } as const
  }
  const load = async (id: string) => {
    begun.push(id)
    return undefined
  }
  const engine = readInTurn({ ...rig.store.engine, load, takeAttempt, workspaceOf: async () => 1 }, 1)
  const take = (executionId: string, attempt: number) =>
    engine.takeAttempt({ executionId, command: 1, attempt }, 'process', 0)
  const repeats = Array.from({ length: 50 }, (_, n) => take(`exe_${n}`, 2))
  await Promise.all([...repeats, take('exe_first', 1), engine.load('exe_visited')])
  expect(begun.indexOf('exe_first')).toBeLessThanOrEqual(5)
  expect(begun.indexOf('exe_visited')).toBeLessThanOrEqual(5)
})

it('keeps what waits while others are read, however much comes before it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const ends: (() => void)[] = []
  const load = () => new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)))
  const engine = readInTurn({ ...rig.store.engine, load, workspaceOf: () => Promise.resolve(1) }, 1, 1_000)
  const count = 4
  const reads = Promise.all(Array.from({ length: count }, () => engine.load('exe_1')))
  for (let begun = 1; begun <= count; begun += 1) {
    await Promise.race([
      reads,
      (async () => {
        while (ends.length < begun) await setImmediate()
      })(),
    ])
    vi.advanceTimersByTime(900)
    ends.at(-1)!()
  }
  expect(await reads).toHaveLength(count)
})

it('rejects what has waited for too long, because the database is away', async () => {
  const { id } = await (await rig.newWorkspace()).start()
  const { engine, goOn } = slowEngine(200)
  const first = engine.load(id)
  await expect(engine.load(id)).rejects.toThrow(StoreUnavailableError)
  goOn()
  expect((await first)?.head.id).toBe(id)
  expect((await engine.load(id))?.head.id).toBe(id)
})
