// `npm run bench:ui`: measures the dashboard in a real Chromium against a real `wes dev` with 100,000 Executions.
// ../README.md explains the figures.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from '@playwright/test'
import { buildStale } from '../../scripts/build/build.ts'
import { createClient } from '../../src-sdk/create-client.ts'
import { busyness, describeMachine } from '../machine.ts'
import { endWithUs, killProcesses } from '../processes.ts'
import { describe } from '../report.ts'
import { seedExecutions } from '../seed-executions.ts'
import { until } from '../waiting.ts'
import { startWes } from '../wes-peer.ts'
import { openBrowser, openContext } from './browser.ts'
import { deployGate } from './changes.ts'
import { type Measured, uiFigures } from './figures.ts'
import { measureFirstRows } from './measure-first-rows.ts'
import { measureHistory } from './measure-history.ts'
import { measureList } from './measure-list.ts'
import { measureLatency, measureRush, type Rush } from './measure-live.ts'
import { readScripts, type Script } from './scripts.ts'

const RESULTS = join(import.meta.dirname, '../results')
const DATA = join(RESULTS, 'ui-data')
const DAY_MS = 86_400_000
const CHANGES_PER_SECOND = 500

const USAGE = `npm run bench:ui -- [--quick]

  --quick  a tenth of the Executions and of the time; do not quote the results`

const sizesOf = (quick: boolean) => ({
  executions: quick ? 10_000 : 100_000,
  historyEntries: quick ? 5_000 : 50_000,
  historyCommands: quick ? 1_000 : 10_000,
  spreadMs: 30 * DAY_MS,
  opened: quick ? 3 : 10,
  wheelMs: quick ? 2_000 : 15_000,
  changes: quick ? 10 : 50,
  rushMs: quick ? 2_000 : 10_000,
})
type Sizes = ReturnType<typeof sizesOf>

const measure = async (browser: Browser, url: string, sizes: Sizes, longHistoryId: string): Promise<Measured> => {
  const client = createClient({ url })
  await deployGate(client)
  const firstRows = await step('first rows', () => measureFirstRows(browser, url, sizes.opened))
  const onPage = async <Result>(act: (page: Awaited<ReturnType<typeof newPage>>) => Promise<Result>) => {
    const page = await newPage(browser)
    try {
      return await act(page)
    } finally {
      await page.context().close()
    }
  }
  const scripts = readScripts(join(import.meta.dirname, '../../out/renderer'))
  const { wheelMs, rushMs: forMs, historyEntries: entries } = sizes
  const list = await step('the list', () => onPage((page) => measureList(page, url, wheelMs)))
  const history = await step('the long history', () =>
    onPage((page) => measureHistory(page, url, { id: longHistoryId, entries, wheelMs })),
  )
  const latencies = await step('from a change to the screen', () =>
    onPage((page) => measureLatency(page, url, client, sizes.changes)),
  )
  const rushes: Record<string, Rush> = {}
  for (const screen of ['executions', 'programs', 'waiting', 'errors', 'metrics']) {
    const address = `${url}/${screen}`
    rushes[`500 changes/s on /${screen}`] = await step(`changes on /${screen}`, () =>
      onPage((page) => measureRush(page, client, { address, perSecond: CHANGES_PER_SECOND, forMs })),
    )
  }
  return { firstRows, scripts, list, history, latencies, rushes }
}

const newPage = async (browser: Browser) => (await openContext(browser)).newPage()

const step = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
  const from = performance.now()
  const result = await act()
  console.log(`${what}: ${((performance.now() - from) / 1_000).toFixed(1)} s`)
  return result
}

const run = async (quick: boolean): Promise<Measured> => {
  const sizes = sizesOf(quick)
  await buildStale(['dashboard'], (line) => console.log(line))
  rmSync(DATA, { recursive: true, force: true })
  const { longHistoryId } = await step(`${sizes.executions} Executions`, () =>
    seedExecutions({ ...sizes, dataDir: join(DATA, 'data') }),
  )
  const runtime = startWes(DATA, 0)
  const ready = () => /^ready (http:\/\/\S+)$/m.exec(runtime.tail)?.[1]
  try {
    await until(async () => ready() !== undefined, { what: 'the runtime' })
    const browser = await openBrowser()
    try {
      return await measure(browser, ready()!, sizes, longHistoryId!)
    } finally {
      await browser.close()
    }
  } finally {
    await killProcesses([runtime])
    rmSync(DATA, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
endWithUs()
mkdirSync(RESULTS, { recursive: true })
const startedAt = new Date()
const before = busyness(RESULTS)
const measured = await run(values.quick)
const busy = [before, busyness(RESULTS)]
const figures = uiFigures(measured)
const stamp = startedAt.toISOString().replaceAll(':', '-').slice(0, 19)
const file = join(RESULTS, `ui-${stamp}${values.quick ? '.quick' : ''}.json`)
writeFileSync(
  file,
  JSON.stringify({ startedAt, machine: describeMachine(), busy, quick: values.quick, figures, measured }),
)
console.log(`\n${describe([], figures)}\n`)
const sizeText = ({ name, gzipBytes }: Script) => `${(gzipBytes / 1_000).toFixed(1)} ${name}`
console.log(`scripts of the first screen, kB gzip: ${measured.scripts.first.map(sizeText).join(', ')}`)
console.log(`loaded later: ${measured.scripts.later.map(sizeText).join(', ')}`)
console.log(`load ${busy.map(({ load }) => load.toFixed(1)).join(' before, ')} after; written to ${file}`)
process.exit(0)
