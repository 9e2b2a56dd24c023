// `npm run bench:growth`: measures how our runtime's figures change from a thousand to a million stored Executions.
// ../README.md explains the figures.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildStale } from '../../scripts/build/build.ts'
import { findBrowser } from '../../scripts/find-browser.ts'
import { wholeNumber } from '../../scripts/whole-number.ts'
import { busyness, describeMachine } from '../machine.ts'
import { endWithUs } from '../processes.ts'
import { openBrowser } from '../ui/browser.ts'
import type { Measured, Samples } from './figures.ts'
import { measureRound } from './measure.ts'
import { growthPicture } from './picture.ts'
import { copyOf, seedOf } from './seeds.ts'
import { growthTable, replaceTable } from './table.ts'

const PORT = 23_478
const ROOT = join(import.meta.dirname, '../..')
const RESULTS = join(ROOT, 'bench/results')
const SEEDS = join(RESULTS, 'growth')
const PAGE = join(ROOT, 'docs/performance.md')
const PICTURE = join(ROOT, 'docs/pictures/growth.svg')
const SIZES = [1_000, 10_000, 100_000, 1_000_000]

const USAGE = `npm run bench:growth -- [--sizes=${SIZES.join(',')}] [--rounds=3] [--quick] [--from=FILE] [--docs]

  --sizes=…    how many Executions are stored; the seeds stay in ${SEEDS}
  --rounds=N   how often each is measured (default: 3)
  --quick      fewer samples and one round; do not quote the results
  --from=FILE  take the results of an earlier run instead of measuring
  --docs       write the table and the picture into docs/`

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES.join(',') },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    from: { type: 'string' },
    docs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

/** Round 1 of all sizes, round 2 of all sizes, …, so that other load on the machine affects all of them. */
const measure = async (sizes: readonly number[], rounds: number, quick: boolean): Promise<Measured> => {
  mkdirSync(SEEDS, { recursive: true })
  await buildStale(['dashboard'], (line) => console.log(line))
  const measured = sizes.map((executions) => ({ executions, rounds: [] as Samples[] }))
  const browser = findBrowser() === undefined ? undefined : await openBrowser()
  const dir = join(RESULTS, 'growth-data')
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const size of measured) {
        const seed = await seedOf(SEEDS, size.executions)
        copyOf(seed, dir)
        const samples = await measureRound({ dir, port: PORT, from: seed.from, until: seed.until, quick, browser })
        size.rounds.push(samples)
        console.log(`round ${round} of ${rounds}, ${size.executions} Executions`)
      }
    }
    return measured
  } finally {
    await browser?.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

const readMeasured = (file: string): Measured =>
  (JSON.parse(readFileSync(file, 'utf8')) as { readonly measured: Measured }).measured

endWithUs()
mkdirSync(RESULTS, { recursive: true })
const startedAt = new Date()
const before = busyness(RESULTS)
const { quick } = values
const rounds = wholeNumber('rounds', values.rounds ?? (quick ? '1' : '3'))
const measured =
  values.from === undefined
    ? await measure(
        values.sizes.split(',').map((size) => wholeNumber('sizes', size)),
        rounds,
        quick,
      )
    : readMeasured(values.from)
if (values.from === undefined) {
  const stamp = startedAt.toISOString().replaceAll(':', '-').slice(0, 19)
  const file = join(RESULTS, `growth-${stamp}${quick ? '.quick' : ''}.json`)
  const busy = [before, busyness(RESULTS)]
  writeFileSync(file, JSON.stringify({ startedAt, machine: describeMachine(), busy, quick, measured }))
  console.log(`load ${busy.map(({ load }) => load.toFixed(1)).join(' before, ')} after; written to ${file}`)
}
console.log(growthTable(measured))
if (values.docs) {
  writeFileSync(PAGE, replaceTable(readFileSync(PAGE, 'utf8'), growthTable(measured)))
  writeFileSync(PICTURE, growthPicture(measured))
}
process.exit(0)
