// The six workloads, as defined in README.md, for any peer.

import { type Bench, openBench } from './boot.ts'
import { closedLoop, input, newId, newIds, sequential, spread } from './load.ts'
import { diskCounters, fileBytes } from './machine.ts'
import type { Memory, Peer, PeerApi, Round } from './peer.ts'
import { percentile } from './statistics.ts'
import { sleep, until } from './waiting.ts'

export type WorkloadName = 'W1' | 'W2' | 'W3' | 'W4' | 'W5' | 'W6' | 'effects'

export const WORKLOADS: readonly WorkloadName[] = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'effects']

export type RoundOptions = {
  readonly only: readonly WorkloadName[]
  readonly quick: boolean
  /** The folder of this round. Emptied before a workload that needs a fresh one. */
  readonly dir: string
}

export const firstNoop = async (api: PeerApi): Promise<void> =>
  until(async () => (await api.run('noop', newId('cold'), input(0)))['who'] === 'ada', {
    every: 3,
    what: 'the first noop',
  })

/** A round that fails keeps the figures measured so far. */
export const runRound = async (peer: Peer, { only, quick, dir }: RoundOptions): Promise<Round> => {
  const round: Round = { peer: peer.name }
  const bench = openBench(peer, dir, quick)
  const say = (name: WorkloadName, figures: unknown) => console.log(`  [${peer.name}] ${name}`, figures)
  try {
    if (only.includes('W6')) say('W6', (round.w6 = await coldStart(bench)))
    if (only.some((name) => ['W1', 'W2', 'W3'].includes(name))) {
      const api = await bench.boot({ fresh: true })
      await firstNoop(api)
      if (only.includes('W1')) {
        round.w1 = await noop(bench, api)
        say('W1', { c1: { p50: percentile(round.w1.lat, 50), p99: percentile(round.w1.lat, 99) }, c64: round.w1.c64 })
        for (const [name, run] of Object.entries(api.extra ?? {})) {
          ;(round.w1x ??= {})[name] = await noopVariant(bench, run)
        }
      }
      if (only.includes('W2')) {
        round.w2 = await tenSteps(bench, api)
        say('W2', { c1: { p50: percentile(round.w2.lat, 50) }, c32: round.w2.c32 })
      }
      if (only.includes('W3')) {
        round.w3 = await event(bench, api)
        say('W3', { p50: percentile(round.w3.lat, 50), p99: percentile(round.w3.lat, 99) })
      }
      await bench.down()
    }
    if (only.includes('W4')) say('W4', (round.w4 = await parked(bench)))
    if (only.includes('W5')) say('W5', (round.w5 = await recovery(bench)))
  } catch (error) {
    round.error = error instanceof Error ? error.message : String(error)
    console.error(`  [${peer.name}] failed:`, error)
  } finally {
    await bench.down()
  }
  return round
}

const coldStart = async (bench: Bench): Promise<NonNullable<Round['w6']>> => {
  await firstNoop(await bench.boot({ fresh: true }))
  await sleep(500)
  await bench.down()
  const coldMs: number[] = []
  let idle: Memory | undefined
  for (let start = 0; start < (bench.quick ? 1 : 4); start++) {
    const from = performance.now()
    await firstNoop(await bench.boot({ fresh: false }))
    coldMs.push(performance.now() - from)
    await sleep(start === 0 ? 5_000 : 300)
    idle ??= bench.memory()
    await bench.down()
  }
  return idle === undefined ? { coldMs } : { coldMs, idle }
}

const noop = async (bench: Bench, api: PeerApi): Promise<NonNullable<Round['w1']>> => {
  const { quick } = bench
  const one = async (index: number) => {
    const result = await api.run('noop', newId('n'), input(index))
    if (result['n'] !== index) throw new Error('wrong result')
  }
  await sequential(quick ? 20 : 100, 10_000, one)
  const disk = diskCounters(bench.dir)
  const lat = await sequential(quick ? 40 : 300, quick ? 10_000 : 40_000, one)
  const flushesPerC1 = (diskCounters(bench.dir).flushes - disk.flushes) / lat.length
  const loop = { dir: bench.dir, callers: 64, warmUpMs: quick ? 1_000 : 3_000, countedMs: quick ? 3_000 : 10_000 }
  const c64 = await closedLoop(loop, async () => api.run('noop', newId('t'), input(1)))
  return { lat, flushesPerC1, c64 }
}

const noopVariant = async (bench: Bench, run: NonNullable<PeerApi['extra']>[string]) => {
  const { quick } = bench
  const one = async (index: number) => void (await run(newId('v'), input(index)))
  await sequential(5, 5_000, one)
  const lat = await sequential(quick ? 10 : 100, quick ? 5_000 : 20_000, one)
  const loop = { dir: bench.dir, callers: 64, warmUpMs: quick ? 500 : 2_000, countedMs: quick ? 2_000 : 6_000 }
  return { lat, c64: await closedLoop(loop, async () => run(newId('v'), input(1))) }
}

const tenSteps = async (bench: Bench, api: PeerApi): Promise<NonNullable<Round['w2']>> => {
  const { quick } = bench
  const one = async (index: number) => void (await api.run('ten', newId('s'), input(index)))
  await sequential(quick ? 5 : 20, 10_000, one)
  const disk = diskCounters(bench.dir)
  const lat = await sequential(quick ? 20 : 150, quick ? 5_000 : 20_000, one)
  const flushesPerC1 = (diskCounters(bench.dir).flushes - disk.flushes) / lat.length
  const loop = { dir: bench.dir, callers: 32, warmUpMs: quick ? 500 : 2_000, countedMs: quick ? 3_000 : 10_000 }
  return { lat, flushesPerC1, c32: await closedLoop(loop, async () => one(1)) }
}

const event = async (bench: Bench, api: PeerApi): Promise<NonNullable<Round['w3']>> => {
  const one = async (index: number): Promise<number> => {
    const id = newId('e')
    await api.start('event', id, input(index))
    const answer = api.result('event', id)
    answer.catch(() => undefined) // awaited below
    await until(async () => (await api.parked()).last === id, { every: 2, limit: 20_000, what: 'parked' })
    await sleep(20 + Math.random() * 480) // a random time within a polling peer's interval
    const from = performance.now()
    await api.event(id, { i: index })
    if ((await answer)['i'] !== index) throw new Error('wrong payload')
    return performance.now() - from
  }
  await sequential(5, 10_000, one)
  return { lat: await sequential(bench.quick ? 10 : 80, bench.quick ? 15_000 : 70_000, one) }
}

/** Settles when all have reached their wait. Resolves to the time that took. */
export const park = async (api: PeerApi, ids: readonly string[], limit: number) => {
  const base = (await api.parked()).count
  const from = performance.now()
  await spread(ids.length, 32, async (index) => api.start('event', ids[index] ?? '', input(index)))
  const startedMs = performance.now() - from
  const all = async () => (await api.parked()).count - base >= ids.length
  await until(all, { every: 50, limit, what: `${ids.length} parked` })
  return { startedMs, parkedMs: performance.now() - from }
}

/** Boots and runs some Executions first, so that the cost of a first Execution does not count. */
export const bootWarm = async (bench: Bench, how: { fresh: boolean }): Promise<PeerApi> => {
  const api = await bench.boot(how)
  await firstNoop(api)
  await spread(200, 32, async (index) => api.run('noop', newId('w'), input(index)))
  await sleep(3_000)
  return api
}

const parked = async (bench: Bench): Promise<NonNullable<Round['w4']>> => {
  const n = bench.quick ? 300 : 2_000
  const api = await bootWarm(bench, { fresh: true })
  const before = { memory: bench.memory(), files: fileBytes(bench.dir), disk: diskCounters(bench.dir) }
  const { startedMs, parkedMs } = await park(api, newIds(n), bench.quick ? 90_000 : 180_000)
  await sleep(3_000)
  const { rss, pss } = bench.memory()
  return {
    n,
    startedMs,
    parkedMs,
    rssPer: (rss - before.memory.rss) / n,
    pssPer: (pss - before.memory.pss) / n,
    diskPer: (fileBytes(bench.dir) - before.files) / n,
    writtenPer: (diskCounters(bench.dir).bytes - before.disk.bytes) / n,
  }
}

const recovery = async (bench: Bench): Promise<NonNullable<Round['w5']>> => {
  await bench.down()
  const n = bench.quick ? 200 : 1_000
  const limit = bench.quick ? 25_000 : 120_000
  const ids = newIds(n)
  let api = await bench.boot({ fresh: true })
  await firstNoop(api)
  await park(api, ids, 120_000)
  await sleep(500)
  await bench.down()
  await sleep(200)

  const from = performance.now()
  api = await bench.boot({ fresh: false })
  let firstEventAcceptedMs = Number.NaN
  const results: Promise<boolean>[] = []
  await spread(n, 32, async (index) => {
    const id = ids[index] ?? ''
    const accepted = async () => {
      await api.event(id, { i: index })
      return true
    }
    await until(accepted, { every: 5, limit, what: 'an event to be accepted' })
    if (Number.isNaN(firstEventAcceptedMs)) firstEventAcceptedMs = performance.now() - from
    const done = async () => (await api.result('event', id))['i'] === index
    results.push(
      until(done, { every: 50, limit, what: 'a result' }).then(
        () => true,
        () => false,
      ),
    )
  })
  const allEventsAcceptedMs = performance.now() - from
  const obtained = await Promise.all(results)
  const allDoneMs = performance.now() - from
  await bench.down()
  return { n, firstEventAcceptedMs, allEventsAcceptedMs, allDoneMs, lost: obtained.filter((one) => !one).length }
}
