// A host's slots. A slot is empty, or holds one Execution after a number of turns. To free a slot, the pool parks its
// Execution as an image.

import type { EngineModules } from './engine-files.ts'
import type { ImageCache } from './image-cache.ts'
import { GROWN_SLOT_BYTES, LARGEST_KEPT_SLOT_BYTES, SLOT_MEMORY_BYTES } from './limits.ts'
import { createSlot, distrust, hasGrown, loadSlot, takeOut, wipe, type Slot, type Template } from './slot.ts'

export type PooledSlot = {
  slot: Slot
  occupant: string | undefined
  /** Of the occupant. */
  tenant: string
  /** Turns that the occupant has run. */
  turnsDone: number
  usedAt: number
}

export type SlotPool = {
  /** A slot that holds the Execution as it was after `turnsDone` turns; `undefined`: there is no such image. */
  load(executionId: string, tenant: string, turnsDone: number, template: Template): PooledSlot | undefined
  /** A slot without an occupant, if possible one that holds the template. */
  takeEmpty(template?: Template): PooledSlot
  /** One whose memory has never grown beyond the template, so that what is built in it is the same in every slot. */
  takeNew(template: Template): PooledSlot
  /**
   * Leaves the occupant in its slot, however large it is: swapping tens of MiB takes far longer than a turn. Parks other
   * large occupants while all slots together take too much memory.
   */
  keep(pooled: PooledSlot): void
  /** Removes the occupant. Not `isInOrder`: the slot's memory may be damaged, and the next load writes all of it. */
  release(pooled: PooledSlot, isInOrder: boolean): void
  forget(executionId: string): void
  /** Parks all but the `most` latest occupants and gives up their slots. Returns whether there were any. */
  trim(most: number): boolean
  /** Removes every occupant and image that is based on the template. */
  forgetTemplate(template: Template): void
}

const sizeOf = (pooled: PooledSlot): number => pooled.slot.machine.bytes.length

export const createSlotPool = (modules: EngineModules, firstSlot: Slot, most: number, images: ImageCache): SlotPool => {
  const toPooled = (slot: Slot): PooledSlot => ({ slot, occupant: undefined, tenant: '', turnsDone: 0, usedAt: 0 })
  let pool = [toPooled(firstSlot)]
  let uses = 0
  let random = 1

  const isCrowded = (): boolean => pool.reduce((total, one) => total + sizeOf(one), 0) > SLOT_MEMORY_BYTES

  /** WebAssembly memory never shrinks, and a large memory makes every swap slow. */
  const recycleIfGrown = (pooled: PooledSlot): void => {
    const bytes = sizeOf(pooled)
    if (bytes < GROWN_SLOT_BYTES) return
    if (isCrowded() || bytes > LARGEST_KEPT_SLOT_BYTES) pooled.slot = createSlot(modules)
  }

  const release = (pooled: PooledSlot, isInOrder: boolean): void => {
    pooled.occupant = undefined
    if (isInOrder) wipe(pooled.slot)
    else distrust(pooled.slot)
    recycleIfGrown(pooled)
  }

  const park = (pooled: PooledSlot): void => {
    const { occupant, tenant, slot, turnsDone } = pooled
    if (occupant === undefined || slot.template === undefined) return
    const delta = takeOut(slot)
    images.park(occupant, { tenant, template: slot.template, turnsDone, delta })
    pooled.occupant = undefined
    recycleIfGrown(pooled)
  }

  /** Large ones, the least recently used first, until there is room. */
  const parkOthers = (kept: PooledSlot): void => {
    if (!isCrowded()) return
    for (const pooled of pool.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (pooled === kept || sizeOf(pooled) < GROWN_SLOT_BYTES) continue
      if (pooled.occupant === undefined) recycleIfGrown(pooled)
      else park(pooled)
      if (!isCrowded()) return
    }
  }

  const addSlot = (): PooledSlot => {
    const pooled = toPooled(createSlot(modules))
    pool.push(pooled)
    return pooled
  }

  /**
   * Evicts at random. Executions often take turns in a fixed order; then the least recently used one would be needed
   * next.
   */
  const randomSlot = (): PooledSlot => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
    return pool[(random >>> 8) % pool.length] ?? addSlot()
  }

  const takeEmpty = (template?: Template): PooledSlot => {
    const free = pool.filter((pooled) => pooled.occupant === undefined)
    const pooled =
      free.find((candidate) => candidate.slot.template === template) ??
      free[0] ??
      (pool.length < most ? addSlot() : randomSlot())
    park(pooled)
    pooled.usedAt = ++uses
    return pooled
  }

  const occupy = (pooled: PooledSlot, executionId: string, tenant: string, turnsDone: number): PooledSlot => {
    pooled.occupant = executionId
    pooled.tenant = tenant
    pooled.turnsDone = turnsDone
    return pooled
  }

  const slotOf = (executionId: string): PooledSlot | undefined => pool.find((pooled) => pooled.occupant === executionId)

  return {
    load: (executionId, tenant, turnsDone, template) => {
      const current = slotOf(executionId)
      if (current !== undefined && turnsDone > 0 && current.turnsDone === turnsDone) {
        current.usedAt = ++uses
        return current
      }
      if (current !== undefined) release(current, true)
      const image = images.take(executionId)
      if (turnsDone === 0) {
        const pooled = takeEmpty(template)
        loadSlot(pooled.slot, template, undefined)
        return occupy(pooled, executionId, tenant, 0)
      }
      if (image?.turnsDone !== turnsDone) return undefined
      const pooled = takeEmpty(image.template)
      loadSlot(pooled.slot, image.template, image.delta)
      return occupy(pooled, executionId, tenant, turnsDone)
    },
    takeEmpty,
    takeNew: (template) => {
      const pooled = takeEmpty(template)
      if (hasGrown(pooled.slot, template)) pooled.slot = createSlot(modules)
      return pooled
    },
    keep: (pooled) => {
      if (sizeOf(pooled) >= GROWN_SLOT_BYTES) parkOthers(pooled)
    },
    release,
    forget: (executionId) => {
      images.forget(executionId)
      const pooled = slotOf(executionId)
      if (pooled !== undefined) release(pooled, true)
    },
    trim: (kept) => {
      const byUse = pool.toSorted((left, right) => right.usedAt - left.usedAt)
      const rest = byUse.slice(kept)
      for (const pooled of rest) park(pooled)
      pool = byUse.slice(0, kept)
      // The notes refer to the machine that used them last, which may be one that is given up.
      pool[0]?.slot.machine.written.follow()
      return rest.length > 0
    },
    forgetTemplate: (template) => {
      images.forgetTemplate(template)
      for (const pooled of pool) if (pooled.slot.template === template) release(pooled, false)
    },
  }
}
