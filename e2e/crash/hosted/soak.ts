// A mixed load on a real hosted service of separate processes, none of which is harmed. Each minute the callers are silent until
// everything rests; then ended Executions are deleted, and what the processes hold is measured.

import { setTimeout as sleep } from 'node:timers/promises'
import { descriptorsOf, MB, residentMb, rises, tenth, type Bound, type Figures } from '../soak-figures.ts'
import { withDatabase } from './database.ts'
import { createRandom, type Random } from '../random.ts'
import { sendLastTicks, startLoad } from './load.ts'
import { measureSlowdown, startRecoveryLimit } from './recovery-limit.ts'
import { startChaosService, type ChaosService } from './service.ts'
import { throwOnCrash, untilRest } from './until-rest.ts'

const LOADED_MS = 45_000
const ENDED = ['completed', 'failed', 'cancelled'] as const

/** What a dashboard, a script and a mistake ask for. */
const READS = [
  '/v1/executions?limit=20',
  '/v1/executions/counts',
  '/v1/waiting',
  '/v1/errors',
  '/v1/metrics',
  '/v1/usage',
  '/v1/programs/mixed/versions',
  '/v1/projects/default/triggers',
  '/v1/changes',
  '/v1/executions?limit=none',
  '/v1/nowhere',
  '/',
] as const
const READ_PAUSE_MS = 50

const ROLES = ['api', 'ingress', 'worker'] as const

/** Restate keeps a log of its own, whose size says nothing of the service. */
const BOUNDS: Readonly<Record<string, Bound>> = {
  ...Object.fromEntries(ROLES.map((role) => [`${role}Mb`, { factor: 1.1, plus: 20 }])),
  ...Object.fromEntries(ROLES.map((role) => [`${role}Descriptors`, { factor: 1, plus: 8 }])),
  databaseConnections: { factor: 1, plus: 4 },
  // Tables grow until they are vacuumed.
  databaseMb: { factor: 1.3, plus: 10 },
}

/** Answers what did not stay flat. */
export const soakHosted = async (minutes: number): Promise<readonly string[]> => {
  const slowdown = await measureSlowdown()
  const service = await startChaosService({ isCluster: false })
  try {
    const samples: Figures[] = []
    for (let minute = 1; minute <= minutes; minute += 1) {
      const ended = await loadFor(service, createRandom(minute))
      await untilRest(service, performance.now(), startRecoveryLimit(slowdown))
      await deleteEnded(service)
      throwOnCrash(service)
      samples.push({ minute, ended, ...(await measure(service)) })
      console.log(JSON.stringify(samples.at(-1)))
    }
    if (service.leaks.length > 0) throw new Error(service.leaks.join('\n'))
    return rises(samples, BOUNDS)
  } finally {
    await service.dispose(false)
  }
}

/** Answers how many Executions it started. */
const loadFor = async (service: ChaosService, random: Random): Promise<number> => {
  const load = startLoad(service, random, false)
  const until = performance.now() + LOADED_MS
  for (let read = 0; performance.now() < until; read += 1) {
    await service.read(READS[read % READS.length]!)
    await sleep(READ_PAUSE_MS)
  }
  await load.stop()
  await sendLastTicks(service, load)
  if (load.surprises.length > 0) throw new Error(load.surprises.join('\n'))
  return load.acknowledged.length
}

const deleteEnded = async ({ client }: ChaosService): Promise<void> => {
  const { items } = await client.listExecutions({ status: 'failed', limit: 5 })
  if (items.length > 0) throw new Error(`these failed: ${JSON.stringify(items)}`)
  let bulk = await client.startBulk({ action: 'delete', filter: { status: ENDED } })
  while (bulk.status === 'running') {
    await sleep(200)
    bulk = await client.getBulk(bulk.id)
  }
}

const measure = async ({ api, ingress, workers, ownerUrl }: ChaosService): Promise<Figures> => {
  const figures: Record<string, number> = {}
  // The newest release of workers gets all the work.
  const parts = { api, ingress, worker: workers.at(-1)! }
  for (const role of ROLES) {
    const [own, ...hosts] = parts[role].pids()
    figures[`${role}Mb`] = residentMb([own!])
    figures[`${role}HostsMb`] = residentMb(hosts)
    figures[`${role}Descriptors`] = descriptorsOf(own!)
  }
  const [database] = await withDatabase(ownerUrl(), (rows) =>
    rows<{ bytes: string; connections: number }>(
      `SELECT pg_database_size(current_database()) AS bytes,
         (SELECT count(*)::int FROM pg_stat_activity WHERE usename <> current_user) AS connections`,
    ),
  )
  figures.databaseConnections = database!.connections
  figures.databaseMb = tenth(Number(database!.bytes) / MB)
  return figures
}
