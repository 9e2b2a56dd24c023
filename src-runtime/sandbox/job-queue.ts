// The order in which a host runs its jobs: fair by tenant and Program, and code that has proven quick before code that has not. When
// new code silences a host, the next host first runs the jobs of known code.

import type { Job } from './program-runner.ts'
import { createTenantQueue, type Owner } from './tenant-queue.ts'

export type JobQueue = {
  readonly size: number
  add(job: Job): void
  take(): Job | undefined
  takeAll(tenant: string): readonly Job[]
}

/** So many jobs of known code go before one of new code. */
const KNOWN_FIRST = 7

const ownerOf = ({ activation }: Job): Owner => ({ tenant: activation[8], programId: activation[2] })
/** Whether the code has not proven quick, so that the host announces the job before it runs it. */
export const isAnnounced = ({ activation }: Job): boolean => activation[7]

export const createJobQueue = (): JobQueue => {
  const known = createTenantQueue(ownerOf)
  const unknown = createTenantQueue(ownerOf)
  let passed = 0
  return {
    get size() {
      return known.size + unknown.size
    },
    add: (job) => (isAnnounced(job) ? unknown : known).add(job),
    take: () => {
      if (unknown.size > 0 && (known.size === 0 || passed >= KNOWN_FIRST)) {
        passed = 0
        return unknown.take()
      }
      passed += 1
      return known.take()
    },
    takeAll: (tenant) => [known, unknown].flatMap((queue) => queue.takeAll(tenant)),
  }
}
