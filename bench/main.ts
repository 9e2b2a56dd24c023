// `npm run bench`: measures the local runtime, alone or beside other systems in the same session. README.md explains the
// figures.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/whole-number.ts'
import { measureHostedFigures, type HostedFigures } from './hosted-figures.ts'
import { createHostedPeer } from './hosted-peer.ts'
import { busyness, describeMachine } from './machine.ts'
import { measureOwnFigures, type OwnFigures } from './own-figures.ts'
import type { Peer, Round } from './peer.ts'
import { endWithUs } from './processes.ts'
import { againstBudgets, compare, describe, ofHosted } from './report.ts'
import { createWesPeer } from './wes-peer.ts'
import { runRound, type WorkloadName, WORKLOADS } from './workloads.ts'

const PORT = 23_477
const RESULTS = join(import.meta.dirname, 'results')
const DATA = join(RESULTS, 'data')
const USAGE = `npm run bench -- [--hosted] [--quick] [--rounds=N] [--only=W1,W3] [--peers=DIR [--peer=restate,dbos]]

  --hosted     measure the hosted service, \`wes serve\`, instead of the local runtime
  --quick      fewer samples and one round; do not quote the results
  --rounds=N   the number of rounds (default: 3, or 1 with --quick)
  --only=…     only these workloads: ${WORKLOADS.join(', ')}
  --peers=DIR  also measure other systems with the harness in DIR, after \`npm install\` in it: round by round in the
  same session, and with ratios in the table
  --peer=…     the other systems (default: restate, dbos, openworkflow and cloudflare)`

type Options = {
  readonly hosted: boolean
  readonly quick: boolean
  readonly rounds: number
  readonly only: readonly WorkloadName[]
  readonly peersFolder?: string
  readonly peerNames: readonly string[]
}

/** The part of the other harness that is used here. */
type Harness = {
  suite(peer: Peer, options: { quick: boolean; only: readonly string[]; settle: boolean }): Promise<Round>
}

const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hosted: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      peers: { type: 'string' },
      peer: { type: 'string', default: 'restate,dbos,openworkflow,cloudflare' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    process.exit(0)
  }
  const rounds = wholeNumber('rounds', values.rounds ?? (values.quick ? '1' : '3'))
  const names = values.only?.split(',') ?? WORKLOADS
  const only = WORKLOADS.filter((name) => names.includes(name))
  if (only.length !== names.length) throw new Error(`--only takes ${WORKLOADS.join(', ')}, not ${values.only}`)
  const rest = { hosted: values.hosted, quick: values.quick, rounds, only, peerNames: values.peer.split(',') }
  return values.peers === undefined ? rest : { ...rest, peersFolder: resolve(values.peers) }
}

const subjectOf = ({ hosted }: Options): Peer => (hosted ? createHostedPeer(PORT) : createWesPeer({ port: PORT }))

const measureAlone = async (given: Options): Promise<Round[]> => {
  const { rounds, quick, only } = given
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round} of ${rounds}`)
    measured.push(await runRound(subjectOf(given), { only, quick, dir: join(DATA, 'round') }))
  }
  return measured
}

/** Round 1 of all systems, round 2 of all systems, …, so that other load on the machine affects all of them. */
const measureBesidePeers = async (folder: string, given: Options): Promise<Round[]> => {
  const { rounds, quick, only, peerNames } = given
  if (!existsSync(join(folder, 'node_modules'))) throw new Error(`run \`npm install\` in ${folder} first`)
  const load = async (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href)
  const harness = (await load('driver.mjs')) as Harness
  const peers = [subjectOf(given)]
  for (const name of peerNames) peers.push(((await load(`${name}.mjs`)) as { default: Peer }).default)
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round++) {
    for (const peer of peers) {
      console.log(`round ${round} of ${rounds}: ${peer.name}`)
      measured.push(await harness.suite(peer, { quick, only, settle: false }))
    }
  }
  return measured
}

const options = readOptions(process.argv.slice(2))
endWithUs()
mkdirSync(RESULTS, { recursive: true })
const startedAt = new Date()
const before = busyness(RESULTS)
const rounds =
  options.peersFolder === undefined
    ? await measureAlone(options)
    : await measureBesidePeers(options.peersFolder, options)
let own: OwnFigures = {}
let ofService: HostedFigures = {}
const failures = rounds.flatMap(({ peer, error }) => (error === undefined ? [] : [`a round of ${peer}: ${error}`]))
try {
  const where = { ...options, dir: join(DATA, 'own') }
  if (options.hosted) ofService = await measureHostedFigures(PORT, where)
  else own = await measureOwnFigures(PORT, where)
} catch (error) {
  failures.push(`figures of our own: ${error instanceof Error ? error.message : String(error)}`)
}
rmSync(DATA, { recursive: true, force: true })
const busy = [before, busyness(RESULTS)]

const compared = compare(rounds, subjectOf(options).name)
const budgets = options.hosted ? ofHosted(ofService) : againstBudgets(own)
const file = join(
  RESULTS,
  `${startedAt.toISOString().replaceAll(':', '-').slice(0, 19)}${options.quick ? '.quick' : ''}.json`,
)
const { quick, only } = options
writeFileSync(
  file,
  JSON.stringify({
    startedAt,
    machine: describeMachine(),
    busy,
    quick,
    only,
    compared,
    budgets,
    own,
    hosted: ofService,
    rounds,
  }),
)
console.log(`\n${describe(compared, budgets)}\n`)
for (const [index, { load, fdatasyncP50Ms, fdatasyncP99Ms }] of busy.entries()) {
  const disk = `fdatasync p50 ${fdatasyncP50Ms.toFixed(2)} ms, p99 ${fdatasyncP99Ms.toFixed(2)} ms`
  console.log(`${['before', 'after'][index]}: load ${load.toFixed(1)}, ${disk}`)
}
console.log(`written to ${file}`)
for (const failure of failures) console.log(`failed: ${failure}`)
process.exit(
  failures.some((failure) => !failure.startsWith('a round of') || failure.startsWith('a round of wes')) ? 1 : 0,
)
