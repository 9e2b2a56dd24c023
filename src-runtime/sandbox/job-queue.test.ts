import { describe, expect, it } from 'vitest'
import { createJobQueue } from './job-queue.ts'
import { createJob, type Job } from './program-runner.ts'

const jobOf = (sequence: number, program: string, isAnnounced: boolean, tenant = ''): Job =>
  createJob([sequence, `exe_${sequence}`, program, 1, `ver_${tenant}${program}`, 0, [], isAnnounced, tenant])

const order = (jobs: readonly Job[], most = Infinity): number[] => {
  const queue = createJobQueue()
  for (const job of jobs) queue.add(job)
  const taken: number[] = []
  while (taken.length < most) {
    const job = queue.take()
    if (job === undefined) break
    taken.push(job.activation[0])
  }
  return taken
}

describe('the jobs of a host', () => {
  it('are taken Program by Program', () => {
    expect(order([jobOf(1, 'a', false), jobOf(2, 'a', false), jobOf(3, 'b', false)])).toEqual([1, 3, 2])
  })

  it('of one tenant do not delay those of another one whose Program has the same id', () => {
    const first = Array.from({ length: 16 }, (_, index) => jobOf(index + 1, 'main', false, 'one'))
    expect(order([...first, jobOf(17, 'main', false, 'other')], 2)).toEqual([1, 17])
  })

  it('of one tenant with many Programs do not delay those of another one with a single Program', () => {
    const many = Array.from({ length: 16 }, (_, index) => jobOf(index + 1, `program ${index}`, false, 'one'))
    const jobs = [...many, jobOf(17, 'main', false, 'other'), jobOf(18, 'main', false, 'other')]
    expect(order(jobs, 5)).toEqual([1, 17, 2, 18, 3])
  })

  it('of code that has not proven quick come after the others', () => {
    expect(order([jobOf(1, 'new', true), jobOf(2, 'a', false), jobOf(3, 'b', false)])).toEqual([2, 3, 1])
  })

  it('of new code come in time, however many others there are', () => {
    const many = Array.from({ length: 100 }, (_, index) => jobOf(index + 2, 'a', false))
    expect(order([jobOf(1, 'new', true), ...many], 8)).toContain(1)
  })

  it('of new code come after seven others each time', () => {
    const known = Array.from({ length: 20 }, (_, index) => jobOf(index, 'a', false))
    const fresh = Array.from({ length: 20 }, (_, index) => jobOf(100 + index, 'new', true))
    const taken = order([...known, ...fresh], 16).map((sequence) => sequence >= 100)
    expect(taken.flatMap((isNew, at) => (isNew ? [at] : []))).toEqual([7, 15])
  })

  it('of one tenant can be taken out', () => {
    const queue = createJobQueue()
    const jobs = [jobOf(1, 'a', false, 'one'), jobOf(2, 'a', true, 'one'), jobOf(3, 'b', false, 'one')]
    for (const job of [...jobs, jobOf(4, 'a', false, 'other')]) queue.add(job)
    expect(queue.size).toBe(4)
    expect(queue.takeAll('one').map(({ activation }) => activation[0])).toEqual([1, 3, 2])
    expect([queue.size, queue.take()?.activation[0]]).toEqual([1, 4])
  })
})
