// Random work in a real `wes dev` and a real `wes serve`.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileProject } from '#runtime/source/build-project.ts'
import { createClient } from '#sdk/index.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { startRuntimeProcess } from '../../runtime-process.test-support.ts'
import { startServeProcess } from '../../serve-process.test-support.ts'
import { type Campaign, type Ended, runRandomWork } from './campaign.ts'

type Amount = Pick<Campaign, 'seed' | 'executions' | 'largest'>

const PROJECT = join(import.meta.dirname, 'project')

const compile = async () => {
  const { programs, errors } = await compileProject({ folder: PROJECT })
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return programs.map(({ artifact }) => artifact)
}

export const runLocally = async (amount: Amount): Promise<Ended> => {
  const [port = 0] = await freePorts([0])
  const runtime = await startRuntimeProcess({ project: PROJECT, port })
  const client = createClient({ url: runtime.url() })
  const killAndStart = async (): Promise<void> => {
    await runtime.kill()
    await runtime.start()
  }
  try {
    while (!(await client.listPrograms()).items.some(({ runnable }) => runnable)) await sleep(50)
    return await runRandomWork({ client, killAndStart, atOnce: 40, killEveryMs: 2_500, ...amount })
  } finally {
    await runtime.dispose()
  }
}

export const runHosted = async (amount: Amount): Promise<Ended> => {
  const service = await startServeProcess()
  const client = createClient({ url: service.url, token: service.token })
  const killAndStart = async (): Promise<void> => {
    await service.kill()
    await service.start()
  }
  try {
    for (const artifact of await compile()) await client.deployProgram(artifact)
    return await runRandomWork({ client, killAndStart, atOnce: 30, killEveryMs: 6_000, ...amount })
  } finally {
    await service.dispose()
  }
}
