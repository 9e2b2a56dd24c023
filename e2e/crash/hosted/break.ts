// Does to a running service what the plan says, and repairs it.

import { setTimeout as sleep } from 'node:timers/promises'
import { ROLES, type Fault, type Role } from './fault-plan.ts'
import type { Random } from '../random.ts'
import type { Part } from './processes.ts'
import type { RecoveryLimit } from './recovery-limit.ts'
import type { ChaosService } from './service.ts'

/**
 * Answers a description of the fault once it is over and everything runs again. `startLimit`: for how long workers of the
 * release before may take to end what they had begun.
 */
export const breakSomething = async (
  service: ChaosService,
  faults: readonly Fault[],
  random: Random,
  startLimit: () => RecoveryLimit,
): Promise<string> => {
  const broken = new Map<Part, (() => Promise<string>)[]>()
  for (const fault of faults) {
    if (fault.kind === 'deploy' || fault.kind === 'hurry')
      return deployWorkers(service, fault.kind === 'hurry', startLimit())
    if (fault.kind === 'move') return moveWorker(service, random)
    if (fault.kind === 'remove') return removeWorkspace(service, random)
    const part = partOf(service, fault.role, random)
    const act = fault.kind === 'pause' ? pausing(part, random) : killing(part, random)
    broken.set(part, [...(broken.get(part) ?? []), act])
  }
  // Faults of the same process come one after the other.
  const said = await Promise.all(
    [...broken.values()].map(async (acts) => {
      const each: string[] = []
      for (const act of acts) each.push(await act())
      return each
    }),
  )
  return said.flat().join(', ')
}

const partOf = (service: ChaosService, role: Role, random: Random): Part => {
  const { workers, restates } = service
  switch (role) {
    case 'worker':
      return workers[random.below(workers.length)]!
    case 'restate':
      return restates[random.below(restates.length)]!
    case 'api':
    case 'ingress':
    case 'postgres':
      return service[role]
  }
}

const pausing = (part: Part, random: Random): (() => Promise<string>) => {
  const ms = 500 + random.below(random.unit() < 0.3 ? 9_000 : 2_500)
  return async () => {
    part.pause()
    await sleep(ms)
    part.resume()
    return `${part.name} stopped for ${ms} ms`
  }
}

const killing = (part: Part, random: Random): (() => Promise<string>) => {
  const ms = random.below(1_500)
  return async () => {
    await part.kill()
    await sleep(ms)
    await part.start()
    return `${part.name} killed, away for ${ms} ms`
  }
}

/** A machine is lost with its worker, and another one comes at another address. */
const moveWorker = async ({ workers, newWorker }: ChaosService, random: Random): Promise<string> => {
  const [lost] = workers.splice(random.below(workers.length), 1)
  await lost!.kill()
  const next = await newWorker()
  await next.start()
  workers.push(next)
  return `${lost!.name} killed, ${next.name} in its place`
}

const REMOVED_STARTS = 10
const MOST_REMOVALS = 60

/** Its Executions run and its schedule fires meanwhile, and the command that removes it is killed once. */
const removeWorkspace = async (service: ChaosService, random: Random): Promise<string> => {
  const name = `removed-${random.below(1_000_000)}`
  const client = await service.newWorkspace(name)
  const inputs = Array.from({ length: REMOVED_STARTS }, () => ({ n: random.below(1_000_000) }))
  await Promise.all(inputs.map((input) => client.start('untouched', input)))
  const removing = service.removeWorkspace(name, random.below(5_000))
  const what = await killing(partOf(service, ROLES[random.below(ROLES.length)]!, random), random)()
  await removing
  for (let tried = 0; !(await service.removeWorkspace(name)); tried += 1) {
    if (tried === MOST_REMOVALS) throw new Error(`the workspace ${name} cannot be removed`)
    await sleep(500)
  }
  return `workspace removed, ${what}`
}

/** A new release takes over. `isHurry`: the old workers are stopped before their work is finished. */
const deployWorkers = async (service: ChaosService, isHurry: boolean, limit: RecoveryLimit): Promise<string> => {
  const { workers, restateAdminUrls } = service
  const next = await service.newWorker()
  await next.start()
  const old = workers.splice(0, workers.length, next)
  const stopOld = () => Promise.all(old.map((worker) => worker.stop()))
  const begunAt = Date.now()
  if (isHurry) await stopOld()
  while (!(await areOnly(restateAdminUrls[0]!, next.url))) {
    const waitedMs = Date.now() - begunAt
    if (await limit.isOver(waitedMs)) {
      throw new Error(`after ${waitedMs} ms, ${next.name} has not taken over from old workers`)
    }
    await sleep(200)
  }
  const tookMs = Date.now() - begunAt
  if (!isHurry) await stopOld()
  const second = await service.newWorker()
  await second.start()
  workers.push(second)
  return `${next.name} and ${second.name} deployed${isHurry ? ' in a hurry' : ''}, which took over after ${tookMs} ms`
}

/** Whether Restate knows this worker and no other. */
const areOnly = async (adminUrl: string, workerUrl: string): Promise<boolean> => {
  const answer = await fetch(`${adminUrl}/deployments`, { signal: AbortSignal.timeout(10_000) })
  const { deployments } = (await answer.json()) as { deployments: readonly { readonly uri: string }[] }
  return deployments.length > 0 && deployments.every(({ uri }) => uri.startsWith(workerUrl))
}
