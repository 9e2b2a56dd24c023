import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHostSlots, type SlotOwner } from './host-slots.ts'

const rigWith = (
  limits: { readonly hosts: number; readonly hostsPerWorkspace: number },
  { idle = 0 }: { readonly idle?: number } = {},
) => {
  const ended: string[] = []
  const retried: string[] = []
  let idleOnes = idle
  const slots = createHostSlots(limits, {
    retireIdle: (workspaceId) => {
      if (idleOnes === 0) return false
      idleOnes -= 1
      ended.push(`idle of ${workspaceId ?? 'all'}`)
      return true
    },
    makeWay: (workspaceId, ms) => {
      ended.push(`busy of ${workspaceId ?? 'all'}, ${String(ms)} ms`)
      return true
    },
    stayOpen: () => void ended.push('none makes way'),
    now: () => Date.now(),
  })
  const owner = (workspaceId: string, name: string): SlotOwner => ({
    workspaceId,
    retry: () => void retried.push(name),
  })
  const take = (of: SlotOwner, isFirst = true) => slots.take(of, isFirst)
  return { slots, owner, take, ended, retried, nowIdle: (count: number) => (idleOnes = count) }
}

describe('processes of effects', () => {
  it('are bounded for each workspace, and for all', () => {
    const { owner, take } = rigWith({ hosts: 3, hostsPerWorkspace: 2 })
    const [a1, a2, b, c] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b'), owner('c', 'c')]
    expect([take(a1), take(a2), take(a1), take(b), take(c)]).toEqual([true, true, false, true, false])
  })

  it('keep the last ones for workspaces that have fewer', () => {
    const { owner, take } = rigWith({ hosts: 4, hostsPerWorkspace: 2 })
    const [a, b, c] = [owner('a', 'a'), owner('b', 'b'), owner('c', 'c')]
    expect([take(a), take(a), take(b), take(b), take(c)]).toEqual([true, true, true, false, true])
  })

  it('make way for a workspace, or a version, that has none', () => {
    const { owner, take, ended } = rigWith({ hosts: 2, hostsPerWorkspace: 1 })
    const [a1, a2, b, c] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b'), owner('c', 'c')]
    for (const each of [a1, b]) take(each)
    for (const each of [a2, c]) take(each)
    expect(ended).toEqual(['busy of a, 1000 ms', 'busy of all, 1000 ms'])
  })

  it('end where they have nothing to do, before any that has', () => {
    const { owner, take, ended } = rigWith({ hosts: 2, hostsPerWorkspace: 2 }, { idle: 1 })
    const [a1, a2, b] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b')]
    for (const each of [a1, b]) take(each)
    take(a2)
    take(a2)
    expect(ended).toEqual(['idle of all'])
  })

  it('end where they have nothing to do, one for each that waits, also after earlier ones have ended', () => {
    const { slots, owner, take, ended, nowIdle } = rigWith({ hosts: 1, hostsPerWorkspace: 1 }, { idle: 1 })
    const [a, b, c] = [owner('a', 'a'), owner('b', 'b'), owner('c', 'c')]
    expect([take(a), take(b)]).toEqual([true, false])
    slots.giveBack(a)
    expect(take(b)).toBe(true)
    nowIdle(1)
    expect(take(c)).toBe(false)
    expect(ended).toEqual(['idle of all', 'idle of all'])
  })

  it('end once they have nothing to do, although another one makes way', () => {
    const { slots, owner, take, ended, nowIdle } = rigWith({ hosts: 8, hostsPerWorkspace: 2 })
    const [a1, a2, a3] = [owner('a', 'a1'), owner('a', 'a2'), owner('a', 'a3')]
    for (const each of [a1, a2, a3]) take(each)
    expect(ended).toEqual(['busy of a, 1000 ms'])
    nowIdle(1)
    slots.offer(a2)
    slots.offer(a2)
    expect(ended).toEqual(['busy of a, 1000 ms', 'idle of a'])
  })

  it('end for attempts that have one only while they have nothing to do', () => {
    const { slots, owner, take, ended, nowIdle } = rigWith({ hosts: 4, hostsPerWorkspace: 2 })
    const [a1, a2, b] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b')]
    for (const each of [a1, a2, b]) take(each)
    expect(take(a1, false)).toBe(false)
    expect(ended).toEqual([])
    nowIdle(1)
    slots.offer(b)
    expect(ended).toEqual([])
    slots.offer(a2)
    expect(ended).toEqual(['idle of a'])
  })

  it('make way one after another, each for as long as somebody has waited', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { slots, owner, take, ended } = rigWith({ hosts: 2, hostsPerWorkspace: 2 })
    const [a1, a2] = [owner('a', 'a1'), owner('a', 'a2')]
    const waiter = (workspaceId: string): SlotOwner => {
      const self: SlotOwner = { workspaceId, retry: () => void slots.take(self, true) }
      return self
    }
    for (const each of [a1, a2, waiter('a')]) take(each)
    vi.advanceTimersByTime(7_000)
    expect(ended).toEqual([1_000, 1_000, 2_000, 4_000].map((ms) => `busy of a, ${String(ms)} ms`))
    ended.length = 0
    vi.advanceTimersByTime(3_600_000)
    expect(ended.at(-1)).toBe('busy of a, 300000 ms')
    ended.length = 0
    slots.take(waiter('b'), true)
    expect(ended).toEqual(['busy of all, 1000 ms'])
  })

  it('make way no longer once those that had none have one, or have given up', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { slots, owner, take, ended } = rigWith({ hosts: 2, hostsPerWorkspace: 2 })
    let attempts = 1
    const waiter: SlotOwner = { workspaceId: 'b', retry: () => void (attempts > 0 && slots.take(waiter, true)) }
    // Its attempts wait for the process that makes way.
    const patient: SlotOwner = { workspaceId: 'a', retry: () => void slots.take(patient, false) }
    for (const each of [owner('a', 'a1'), patient, waiter]) take(each)
    slots.take(patient, false)
    vi.advanceTimersByTime(3_500)
    expect(ended).toEqual([1_000, 1_000, 2_000].map((ms) => `busy of all, ${String(ms)} ms`))
    attempts = 0
    vi.advanceTimersByTime(60_000)
    expect(ended.slice(3)).toEqual(['none makes way'])
  })

  it('that end let those that wait try again, in the order in which they came', () => {
    const { slots, owner, take, retried } = rigWith({ hosts: 1, hostsPerWorkspace: 1 })
    const [a, b, c] = [owner('a', 'a'), owner('b', 'b'), owner('c', 'c')]
    for (const each of [a, c, b]) take(each)
    slots.giveBack(a)
    expect(retried).toEqual(['c', 'b'])
    expect([take(b), take(c)]).toEqual([true, false])
    slots.giveBack(b)
    expect(retried).toEqual(['c', 'b', 'c'])
  })

  it('that have nothing to do stay while none waits', () => {
    const { slots, owner, take, ended } = rigWith({ hosts: 1, hostsPerWorkspace: 1 }, { idle: 1 })
    const a = owner('a', 'a')
    take(a)
    slots.offer(a)
    expect(ended).toEqual([])
  })
})
