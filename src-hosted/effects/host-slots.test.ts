import { describe, expect, it } from 'vitest'
import { createHostSlots, type SlotOwner } from './host-slots.ts'

const rigWith = (limits: { readonly hosts: number; readonly hostsPerWorkspace: number }) => {
  const ended: string[] = []
  const retried: string[] = []
  let mayEnd = true
  const slots = createHostSlots(limits, (which, workspaceId) => {
    if (!mayEnd) return false
    ended.push(`${which} of ${workspaceId ?? 'all'}`)
    return true
  })
  const owner = (workspaceId: string, name: string): SlotOwner => ({
    workspaceId,
    retry: () => void retried.push(name),
  })
  const take = (of: SlotOwner) => slots.take(of)
  return { slots, owner, take, ended, retried, letNoneEnd: (none: boolean) => (mayEnd = !none) }
}

describe('processes of effects', () => {
  it('are bounded for each workspace, and for all', () => {
    const { owner, take } = rigWith({ hosts: 3, hostsPerWorkspace: 2 })
    const [a1, a2, b, c] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b'), owner('c', 'c')]
    expect([take(a1), take(a2), take(a1), take(b), take(c)]).toEqual([true, true, false, true, false])
  })

  it('end for a workspace, or a version, that has none', () => {
    const { owner, take, ended } = rigWith({ hosts: 2, hostsPerWorkspace: 1 })
    const [a1, a2, b, c] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b'), owner('c', 'c')]
    take(a1)
    take(a2)
    expect(ended).toEqual(['any of a'])
    take(b)
    take(c)
    expect(ended).toEqual(['any of a', 'any of all'])
  })

  it('end for a version that has one only while they have nothing to do', () => {
    const { slots, owner, take, ended, letNoneEnd } = rigWith({ hosts: 4, hostsPerWorkspace: 2 })
    const [a1, a2, b] = [owner('a', 'a1'), owner('a', 'a2'), owner('b', 'b')]
    for (const each of [a1, a2, b]) take(each)
    letNoneEnd(true)
    expect(take(a1)).toBe(false)
    letNoneEnd(false)
    slots.offer(b)
    expect(ended).toEqual([])
    slots.offer(a2)
    slots.offer(a2)
    expect(ended).toEqual(['idle of a'])
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
    const { slots, owner, take, ended } = rigWith({ hosts: 1, hostsPerWorkspace: 1 })
    const a = owner('a', 'a')
    take(a)
    slots.offer(a)
    expect(ended).toEqual([])
  })
})
