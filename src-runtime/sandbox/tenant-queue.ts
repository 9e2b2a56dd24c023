// A queue in which tenants take turns, and the Programs of each tenant.

import { createFairGroups, type FairGroups } from '../shared/fair-groups.ts'

/** Tenants may give their Programs the same id. */
export type Owner = { readonly tenant?: string; readonly programId: string }

export const createTenantQueue = <Item>(ownerOf: (item: Item) => Owner): FairGroups<Item> =>
  createFairGroups((item) => {
    const { tenant = '', programId } = ownerOf(item)
    return { group: tenant, key: programId }
  })
