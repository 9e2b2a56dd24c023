// A queue in which tenants take turns, and the Programs of each tenant. So neither many Executions of a Program nor many Programs of a
// tenant delay those of another one.

import { createFairQueue, type FairQueue } from '../shared/fair-queue.ts'

/** Tenants may give their Programs the same id. */
export type Owner = { readonly tenant?: string; readonly programId: string }

export type TenantQueue<Item> = {
  readonly size: number
  add(item: Item): void
  /** The next item that `mayTake` accepts, which is asked for the first one of each Program; by default any. */
  take(mayTake?: (item: Item) => boolean): Item | undefined
  /** All items, or those of one Program. */
  takeAll(of?: Owner): readonly Item[]
}

export const createTenantQueue = <Item>(ownerOf: (item: Item) => Owner): TenantQueue<Item> => {
  /** The next one first. */
  const tenants = new Map<string, FairQueue<Item>>()
  let size = 0

  const takeAllOf = (tenant: string, programId?: string): readonly Item[] => {
    const queue = tenants.get(tenant)
    const taken = queue?.takeAll(programId) ?? []
    if (queue?.size === 0) tenants.delete(tenant)
    size -= taken.length
    return taken
  }

  return {
    get size() {
      return size
    },
    add: (item) => {
      const { tenant = '', programId } = ownerOf(item)
      const queue = tenants.get(tenant) ?? createFairQueue<Item>()
      tenants.set(tenant, queue)
      queue.add(programId, item)
      size += 1
    },
    take: (mayTake = () => true) => {
      for (const [tenant, queue] of tenants) {
        const item = queue.take((_programId, first) => mayTake(first))
        if (item === undefined) continue
        tenants.delete(tenant)
        if (queue.size > 0) tenants.set(tenant, queue)
        size -= 1
        return item
      }
      return undefined
    },
    takeAll: (of) =>
      of === undefined
        ? [...tenants.keys()].flatMap((tenant) => takeAllOf(tenant))
        : takeAllOf(of.tenant ?? '', of.programId),
  }
}
