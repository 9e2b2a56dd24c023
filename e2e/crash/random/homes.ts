// Random work in a real `wes dev`, in a real `wes serve`, and in a hosted service of separate processes.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type ServiceClient } from '#sdk/index.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { compileArtifacts } from '../compile-artifacts.ts'
import { breakSomething } from '../hosted/break.ts'
import { createFaultPlan } from '../hosted/fault-plan.ts'
import { measureSlowdown, startLenientLimit, startRecoveryLimit } from '../hosted/recovery-limit.ts'
import { startChaosService } from '../hosted/service.ts'
import { createRandom } from '../random.ts'
import { type RuntimeProcess, startRuntimeProcess } from '../../runtime-process.test-support.ts'
import { startServeProcess } from '../../serve-process.test-support.ts'
import { type Campaign, type Ended, runRandomWork } from './campaign.ts'

type Amount = Pick<Campaign, 'seed' | 'executions' | 'largest'>

const PROJECT = join(import.meta.dirname, 'project')

const deployTo = async (client: ServiceClient): Promise<void> => {
  for (const artifact of await compileArtifacts(PROJECT)) await client.deployProgram(artifact)
}

const killAndStart =
  ({ kill, start }: Pick<RuntimeProcess, 'kill' | 'start'>) =>
  async (): Promise<void> => {
    await kill()
    await start()
  }

export const runLocally = async (amount: Amount): Promise<Ended> => {
  const [port = 0] = await freePorts([0])
  const runtime = await startRuntimeProcess({ project: PROJECT, port })
  const client = createClient({ url: runtime.url() })
  const breakAndMend = killAndStart(runtime)
  try {
    while (!(await client.listPrograms()).items.some(({ runnable }) => runnable)) await sleep(50)
    return await runRandomWork({ client, breakAndMend, atOnce: 40, breakEveryMs: 2_500, ...amount })
  } finally {
    await runtime.dispose()
  }
}

export const runHosted = async (amount: Amount): Promise<Ended> => {
  const service = await startServeProcess()
  const client = createClient({ url: service.url, token: service.token })
  const breakAndMend = killAndStart(service)
  try {
    await deployTo(client)
    return await runRandomWork({ client, breakAndMend, atOnce: 30, breakEveryMs: 6_000, ...amount })
  } finally {
    await service.dispose()
  }
}

export const runInProcesses = async (amount: Amount): Promise<Ended> => {
  const slowdown = await measureSlowdown()
  const service = await startChaosService({ isCluster: false })
  const { client } = service
  const random = createRandom(amount.seed)
  const nextFaults = createFaultPlan(random, true)
  const breakAndMend = async () => {
    const what = await breakSomething(service, nextFaults(), random, () => startRecoveryLimit(slowdown))
    console.log(`${new Date().toISOString()} ${what}`)
  }
  try {
    await deployTo(client)
    const ended = await runRandomWork({
      client,
      breakAndMend,
      startLimit: startLenientLimit,
      atOnce: 20,
      breakEveryMs: 3_000,
      ...amount,
    })
    await service.dispose(false)
    return ended
  } catch (error) {
    await service.dispose(true)
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`${message}\nthe data is kept in ${service.folder}: logs/ has what each process said`, {
      cause: error,
    })
  }
}
