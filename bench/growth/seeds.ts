// Data directories with many Executions. Seeding a million takes minutes, so they are kept for later runs, and each
// round gets a copy.

import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { seedExecutions } from '../seed-executions.ts'

/** So a million are spread over 30 days, and the last hour holds as many of them whatever the size. */
const APART_MS = 2_592
const NOTE = 'seed.json'

export type Seed = {
  readonly folder: string
  /** The time over which its Executions are spread, in ms since the epoch. */
  readonly from: number
  readonly until: number
}

/** The seed with this many Executions; made if it is missing. */
export const seedOf = async (folder: string, executions: number): Promise<Seed> => {
  const kept = join(folder, `seed-${executions}`)
  if (!existsSync(join(kept, NOTE))) await make(kept, executions)
  const { until } = JSON.parse(readFileSync(join(kept, NOTE), 'utf8')) as { until: number }
  return { folder: kept, from: until - executions * APART_MS, until }
}

const make = async (folder: string, executions: number): Promise<void> => {
  const draft = `${folder}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  const from = performance.now()
  const until = Date.now()
  await seedExecutions({
    dataDir: join(draft, 'data'),
    executions,
    historyEntries: 0,
    historyCommands: 0,
    spreadMs: executions * APART_MS,
  })
  writeFileSync(join(draft, NOTE), JSON.stringify({ until }))
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
  console.log(`${executions} Executions: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
}

/** Flushed, because a flush of the runtime would otherwise wait for the copy's. */
export const copyOf = (seed: Seed, target: string): void => {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const data = join(target, 'data')
  cpSync(join(seed.folder, 'data'), data, { recursive: true })
  for (const name of readdirSync(data)) {
    const file = openSync(join(data, name), 'r')
    fsyncSync(file)
    closeSync(file)
  }
}
