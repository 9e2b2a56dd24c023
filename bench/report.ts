// Makes the table from rounds: latencies pool the samples of all rounds, other figures are the median of the rounds.

import type { HostedFigures } from './hosted-figures.ts'
import type { OwnFigures } from './own-figures.ts'
import type { Round } from './peer.ts'
import { median, percentile } from './statistics.ts'
import { IN_TWO_REQUESTS } from './wes-peer.ts'

type Figure = {
  readonly name: string
  readonly better: 'lower' | 'higher'
  /** The limit of the ratio to the best peer: at most, or at least if higher is better. */
  readonly target?: number
  of(rounds: readonly Round[]): number
}

const medianOf = (rounds: readonly Round[], pick: (round: Round) => number | undefined): number =>
  median(rounds.flatMap((round) => pick(round) ?? []))
const pooled = (rounds: readonly Round[], percent: number, pick: (round: Round) => readonly number[] | undefined) =>
  percentile(
    rounds.flatMap((round) => pick(round) ?? []),
    percent,
  )

const totalOf = (rounds: readonly Round[], pick: (round: Round) => number | undefined): number => {
  const measured = rounds.flatMap((round) => pick(round) ?? [])
  return measured.length === 0 ? Number.NaN : measured.reduce((sum, one) => sum + one, 0)
}

const KIB = 1024
const MIB = 1024 * KIB

const FIGURES: readonly Figure[] = [
  { name: 'W1 noop, 1 caller, p50 ms', better: 'lower', target: 1 / 2, of: (all) => pooled(all, 50, (r) => r.w1?.lat) },
  { name: 'W1 noop, 1 caller, p99 ms', better: 'lower', of: (all) => pooled(all, 99, (r) => r.w1?.lat) },
  { name: 'W1 noop, 64 callers, /s', better: 'higher', target: 3, of: (all) => medianOf(all, (r) => r.w1?.c64.perSec) },
  {
    name: 'W1 in two requests, 1 caller, p50 ms',
    better: 'lower',
    of: (all) => pooled(all, 50, (r) => r.w1x?.[IN_TWO_REQUESTS]?.lat),
  },
  {
    name: 'W1 in two requests, 64 callers, /s',
    better: 'higher',
    of: (all) => medianOf(all, (r) => r.w1x?.[IN_TWO_REQUESTS]?.c64.perSec),
  },
  { name: 'W1 flushes each, 64 callers', better: 'lower', of: (all) => medianOf(all, (r) => r.w1?.c64.flushesPer) },
  {
    name: 'W2 ten steps, 1 caller, p50 ms',
    better: 'lower',
    target: 1 / 3,
    of: (all) => pooled(all, 50, (r) => r.w2?.lat),
  },
  {
    name: 'W2 ten steps, 32 callers, /s',
    better: 'higher',
    target: 3,
    of: (all) => medianOf(all, (r) => r.w2?.c32.perSec),
  },
  {
    name: 'W3 event to result, p50 ms',
    better: 'lower',
    target: 1 / 3,
    of: (all) => pooled(all, 50, (r) => r.w3?.lat),
  },
  {
    name: 'W3 event to result, p99 ms',
    better: 'lower',
    target: 1 / 3,
    of: (all) => pooled(all, 99, (r) => r.w3?.lat),
  },
  { name: 'W4 RSS each parked, KiB', better: 'lower', of: (all) => medianOf(all, (r) => r.w4 && r.w4.rssPer / KIB) },
  { name: 'W4 file growth each, KiB', better: 'lower', of: (all) => medianOf(all, (r) => r.w4 && r.w4.diskPer / KIB) },
  {
    name: 'W4 device writes each, KiB',
    better: 'lower',
    of: (all) => medianOf(all, (r) => r.w4 && r.w4.writtenPer / KIB),
  },
  {
    name: 'W5 kill to all done, ms',
    better: 'lower',
    target: 1 / 3,
    of: (all) => medianOf(all, (r) => r.w5?.allDoneMs),
  },
  { name: 'W5 lost', better: 'lower', of: (all) => totalOf(all, (r) => r.w5?.lost) },
  {
    name: 'W6 cold start to result, ms',
    better: 'lower',
    target: 1,
    of: (all) => median(all.flatMap((r) => r.w6?.coldMs ?? [])),
  },
  {
    name: 'W6 idle RSS, MiB',
    better: 'lower',
    target: 1,
    of: (all) => medianOf(all, (r) => r.w6?.idle && r.w6.idle.rss / MIB),
  },
  {
    name: 'errors',
    better: 'lower',
    of: (all) => totalOf(all, (r) => (r.w1 ?? r.w2) && (r.w1?.c64.errors ?? 0) + (r.w2?.c32.errors ?? 0)),
  },
]

/** Absolute limits for our runtime. */
const BUDGETS: readonly { readonly name: string; readonly atMost?: number; of(own: OwnFigures): number | undefined }[] =
  [
    { name: 'event-loop delay under W1 at 64 callers, p99 ms', atMost: 20, of: (own) => own.eventLoop?.p99 },
    { name: 'event-loop delay, greatest, ms', of: (own) => own.eventLoop?.max },
    { name: 'until `ready`, warm, ms', atMost: 400, of: (own) => own.readyMs && median(own.readyMs) },
    { name: 'ten effects in a row, 1 caller, p50 ms', of: (own) => own.effects?.tenP50Ms },
    { name: 'ten effects in a row, 32 callers, executions/s', of: (own) => own.effects?.tenAt32.perSec },
    { name: 'what one more effect adds, ms', of: (own) => own.effects?.perCallMs },
    {
      name: 'save to new version, median ms',
      atMost: 300,
      of: (own) => own.effects && median(own.effects.saveToVersionMs),
    },
    { name: 'parked', of: (own) => own.manyParked?.n },
    { name: 'RSS each, image cache full, KiB', of: (own) => own.manyParked && own.manyParked.rssPer / KIB },
    {
      name: 'RSS each, out of the image cache, KiB',
      atMost: 2,
      of: (own) => own.manyParked && own.manyParked.rssPerAfterRestart / KIB,
    },
    { name: 'file growth each, KiB', of: (own) => own.manyParked && own.manyParked.diskPer / KIB },
    {
      name: 'written by our processes each, KiB',
      atMost: 2,
      of: (own) => own.manyParked && own.manyParked.writtenPer / KIB,
    },
    { name: 'restart with all of them to the first result, ms', of: (own) => own.manyParked?.restartMs },
  ]

export type Row = {
  readonly name: string
  readonly ours: number
  readonly best?: { readonly peer: string; readonly value: number; readonly ratio: number }
  readonly target?: number
  readonly met?: boolean
}

const groups = (rounds: readonly Round[]): ReadonlyMap<string, readonly Round[]> =>
  Map.groupBy(rounds, (round) => round.peer)

/** `ours`: the peer that is compared with the best of the others. The targets are those of the local runtime. */
export const compare = (rounds: readonly Round[], ours = 'wes'): readonly Row[] => {
  const byPeer = groups(rounds)
  return FIGURES.map(({ name, better, target, of }) => {
    const own = of(byPeer.get(ours) ?? [])
    const [best] = [...byPeer]
      .filter(([peer]) => peer !== ours)
      .map(([peer, of_]) => ({ peer, value: of(of_) }))
      .filter(({ value }) => Number.isFinite(value))
      .toSorted((a, b) => (better === 'lower' ? a.value - b.value : b.value - a.value))
    if (best === undefined || !Number.isFinite(own)) return { name, ours: own }
    const ratio = own / best.value
    const row = { name, ours: own, best: { ...best, ratio } }
    return target === undefined || ours !== 'wes'
      ? row
      : { ...row, target, met: better === 'lower' ? ratio <= target : ratio >= target }
  }).filter((row) => !Number.isNaN(row.ours))
}

export const againstBudgets = (own: OwnFigures): readonly Row[] =>
  againstGoals(BUDGETS.map(({ name, atMost, of }) => ({ name, ours: of(own), atMost })))

export const ofHosted = ({ processorMs = {}, fairness, effects, parked }: HostedFigures): readonly Row[] =>
  againstGoals([
    ...Object.entries(processorMs).map(([part, ms]) => ({
      name: `processor time of ${part} for a noop, ms`,
      ours: ms,
    })),
    { name: 'noop of a quiet workspace, p99 ms', ours: fairness?.alone.p99 },
    { name: 'the same beside a flood of another, p99 ms', ours: fairness?.beside.p99 },
    { name: 'times longer', ours: fairness && fairness.beside.p99 / fairness.alone.p99, atMost: 2 },
    { name: 'noops of the flood, /s', ours: fairness?.floodPerSecond },
    { name: 'of these, while one quiet noop is under way', ours: fairness?.endedMeanwhile },
    { name: 'event to result beside a flood of inputs of 900 kB, p50 ms', ours: fairness?.besideLarge.p50 },
    { name: 'the same, p99 ms', ours: fairness?.besideLarge.p99 },
    { name: 'timers of another that are due at once', ours: fairness?.timers.n },
    {
      name: 'event to result of a quiet workspace meanwhile, longest, ms',
      ours: fairness?.timers.longestMs,
      atMost: 1_000,
    },
    { name: 'ten effects in a row, 1 caller, p50 ms', ours: effects?.tenP50Ms },
    { name: 'ten effects in a row, 32 callers, executions/s', ours: effects?.tenAt32.perSec },
    { name: 'parked', ours: parked?.n },
    { name: 'in PostgreSQL each, KiB', ours: parked && parked.postgresBytes / KIB },
    { name: 'in Restate each, KiB', ours: parked && parked.restateBytes / KIB },
    {
      name: 'in both each, KiB',
      ours: parked && (parked.postgresBytes + parked.restateBytes) / KIB,
      atMost: 2,
    },
  ])

/** Leaves out figures that were not measured. */
export const againstGoals = (
  figures: readonly {
    readonly name: string
    readonly ours: number | undefined
    readonly atMost?: number | undefined
  }[],
): readonly Row[] =>
  figures.flatMap(({ name, ours, atMost }) => {
    if (ours === undefined || Number.isNaN(ours)) return []
    return [atMost === undefined ? { name, ours } : { name, ours, target: atMost, met: ours <= atMost }]
  })

/** Three significant digits. */
const short = (value: number): string =>
  Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))

const verdict = ({ met }: Row): string => (met === undefined ? '' : met ? 'met' : 'MISSED')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

export const describe = (compared: readonly Row[], budgets: readonly Row[]): string => {
  const withPeers = compared.some(({ best }) => best !== undefined)
  const parts: string[] = []
  if (compared.length > 0) {
    parts.push(
      withPeers
        ? table(
            ['', 'wes', 'best peer', '', 'ratio', 'target', ''],
            compared.map((row) => [
              row.name,
              short(row.ours),
              row.best ? short(row.best.value) : '',
              row.best?.peer ?? '',
              row.best && Number.isFinite(row.best.ratio) ? short(row.best.ratio) : '',
              row.target === undefined ? '' : short(row.target),
              verdict(row),
            ]),
          )
        : table(
            ['', 'wes'],
            compared.map((row) => [row.name, short(row.ours)]),
          ),
    )
  }
  if (budgets.length > 0) {
    parts.push(
      table(
        ['', 'wes', 'at most', ''],
        budgets.map((row) => [
          row.name,
          short(row.ours),
          row.target === undefined ? '' : short(row.target),
          verdict(row),
        ]),
      ),
    )
  }
  return parts.join('\n\n')
}
