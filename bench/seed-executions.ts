// Fills a data directory with Executions, to measure the dashboard. Writes to the store, which is faster than running
// them. `node bench/seed-executions.ts --data-dir DIR`, then `wes dev --data-dir DIR`.

import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/whole-number.ts'
import type { Change } from '../src-runtime/engine/change.ts'
import { openDataDirectory } from '../src-runtime/data-directory/data-directory.ts'
import { createIds, type Ids } from '../src-runtime/shared/ids.ts'
import { openDatabase } from '../src-runtime/store/database.ts'
import { createStore } from '../src-runtime/store/open-store.ts'
import type { Store } from '../src-runtime/store/store.ts'
import { longHistory } from './seed-long-history.ts'
import { SEEDED_PROGRAMS, type SeededProgram } from './seed-programs.ts'

export type SeedOptions = {
  /** Created if missing; existing data stays. No runtime may use it meanwhile. */
  readonly dataDir: string
  readonly executions: number
  /** The entries of one more Execution, of `long-history`, started two hours ago; 0 for none. */
  readonly historyEntries: number
  readonly historyCommands: number
  /** The Executions are spread evenly over this time before now. */
  readonly spreadMs: number
}

/** `longHistoryId`: of the Execution with the long history. */
export type Seeded = { readonly longHistoryId: string | undefined }

const DAY_MS = 86_400_000
const LONG_HISTORY = 'long-history'
const LONG_AGO_MS = 2 * 3_600_000
/** Concurrent writes, which share one flush. */
const AT_ONCE = 500

export const seedExecutions = async (options: SeedOptions): Promise<Seeded> => {
  const directory = openDataDirectory(options.dataDir)
  const until = Date.now()
  const clock = { now: until - options.spreadMs }
  const now = () => clock.now
  const db = openDatabase({ file: directory.databaseFile, now })
  // A seed that was interrupted is made again, so no write needs to be durable.
  db.pragma('synchronous = OFF')
  const store = createStore(db, { now, onCommitted: () => {} })
  try {
    const seed = { store, ids: createIds(now), clock, until, chance: chanceFrom(1), deployed: new Map() }
    // Rows and ids have the order of creation.
    const before = Math.floor(options.executions * Math.max(0, 1 - LONG_AGO_MS / options.spreadMs))
    await seedList(seed, options, 0, before)
    const longHistoryId = options.historyEntries === 0 ? undefined : await seedLongHistory(seed, options)
    await seedList(seed, options, before, options.executions)
    return { longHistoryId }
  } finally {
    await store.close()
    directory.release()
  }
}

type Seed = {
  readonly store: Store
  readonly ids: Ids
  readonly clock: { now: number }
  readonly until: number
  readonly chance: () => number
  /** The newest version of each Program. */
  readonly deployed: Map<string, Deployed>
}

const seedList = async (
  seed: Seed,
  { executions, spreadMs }: SeedOptions,
  first: number,
  end: number,
): Promise<void> => {
  const { clock, until, deployed } = seed
  const begin = until - spreadMs
  let writes: Promise<void>[] = []
  for (let number = first; number < end; number++) {
    clock.now = begin + Math.floor((number / executions) * spreadMs)
    const program = SEEDED_PROGRAMS[number % SEEDED_PROGRAMS.length]!
    const wanted = 1 + Math.floor((number / executions) * program.versions)
    let version = deployed.get(program.id)
    if (version?.number !== wanted) {
      version = await deploy(seed, program, wanted)
      deployed.set(program.id, version)
    }
    const it = { at: clock.now, until, number, chance: seed.chance, newEventId: () => seed.ids('evt') }
    writes.push(run(seed, version, program.input(it), [choose(program, seed.chance()).tell(it)]).then(() => {}))
    if (writes.length < AT_ONCE) continue
    await Promise.all(writes)
    writes = []
  }
  await Promise.all(writes)
}

const seedLongHistory = async (seed: Seed, { historyEntries, historyCommands }: SeedOptions): Promise<string> => {
  const { clock, ids, until } = seed
  clock.now = Math.max(clock.now, until - LONG_AGO_MS)
  const program = { id: LONG_HISTORY, description: 'Did very much', code: '({ run: async () => ({}) })' }
  const version = await deploy(seed, program, 1)
  const changes = longHistory({
    entries: historyEntries,
    commands: historyCommands,
    at: clock.now,
    until,
    newEventId: () => ids('evt'),
  })
  return run(seed, version, {}, changes)
}

type Deployed = { readonly programId: string; readonly versionId: string; readonly number: number }

const deploy = async (
  { store, ids, clock }: Seed,
  program: Pick<SeededProgram, 'id' | 'description' | 'code'>,
  number: number,
): Promise<Deployed> => {
  const versionId = ids('ver')
  const { program: stored } = await store.programs.deploy({
    id: versionId,
    projectId: 'default',
    programId: program.id,
    description: program.description,
    digest: versionId,
    origin: 'upload',
    runnable: true,
    manifest: '{}',
    code: `/* ${number} */ ${program.code}`,
    createdAt: clock.now,
  })
  return { programId: program.id, versionId: stored.latestVersion.id, number }
}

/** Returns its id. */
const run = async (
  { store, ids, clock }: Seed,
  { programId, versionId, number }: Deployed,
  input: unknown,
  changes: readonly Change[],
): Promise<string> => {
  const started = await store.executions.start({
    id: ids('exe'),
    projectId: 'default',
    programId,
    versionId,
    versionNumber: number,
    createdAt: clock.now,
    data: JSON.stringify({ input }),
  })
  if (started.kind !== 'started') throw new Error(`the start was ${started.kind}`)
  for (const change of changes) await store.executions.change(started.head.key, () => change)
  return started.head.id
}

const choose = ({ stories }: SeededProgram, chance: number): SeededProgram['stories'][number] => {
  let left = chance * stories.reduce((sum, { weight }) => sum + weight, 0)
  return stories.find(({ weight }) => (left -= weight) < 0) ?? stories[0]!
}

/** mulberry32, which gives the same Executions each time. */
const chanceFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const USAGE = `node bench/seed-executions.ts --data-dir=DIR [--executions=100000] [--history=50000] [--commands=10000] [--days=30]

  --executions  how many, of ${SEEDED_PROGRAMS.length} Programs
  --history     entries of one more Execution; 0 for none
  --commands    how many of those entries are commands
  --days        over how long before now they are spread`

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      executions: { type: 'string', default: '100000' },
      history: { type: 'string', default: '50000' },
      commands: { type: 'string', default: '10000' },
      days: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  })
  const dataDir = values['data-dir']
  if (values.help || dataDir === undefined) return console.log(USAGE)
  const began = performance.now()
  const { longHistoryId } = await seedExecutions({
    dataDir,
    executions: wholeNumber('executions', values.executions),
    historyEntries: wholeNumber('history', values.history, 0),
    historyCommands: wholeNumber('commands', values.commands, 0),
    spreadMs: wholeNumber('days', values.days) * DAY_MS,
  })
  console.log(`${values.executions} Executions in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
  if (longHistoryId !== undefined) console.log(`the one with ${values.history} entries: ${longHistoryId}`)
}

if (import.meta.main) await main()
