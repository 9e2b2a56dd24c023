// Who sits in which slot. A slot is empty, or occupied by one Execution after so many turns; whoever has to make room
// is parked as an image.

import type { EngineModules } from './engine-files.ts'
import type { ImageCache } from './image-cache.ts'
import { GROWN_SLOT_BYTES, LARGEST_KEPT_SLOT_BYTES, SLOT_MEMORY_BYTES } from './limits.ts'
import { createSlot, distrust, loadSlot, takeOut, wipe, type Slot, type Template } from './slot.ts'

export type Place = {
  slot: Slot
  occupant: string | undefined
  /** How many turns the occupant has behind it. */
  turnsDone: number
  usedAt: number
}

export type Places = {
  /** The Execution's place, as it was after `turnsDone` turns; `undefined`: there is no such image. */
  enter(executionId: string, turnsDone: number, template: Template): Place | undefined
  /** A place without an occupant, best one that holds the template. */
  empty(template?: Template): Place
  /** The occupant waits now; a large one does so as an image, so that its slot need not stay large. */
  settle(place: Place): void
  /** The occupant is gone; not in order: nothing in the memory is trusted any more. */
  leave(place: Place, isInOrder: boolean): void
  forget(executionId: string): void
  /** Parks all but the latest few and gives their memory back. */
  trim(most: number): void
  /** Removes every occupant that grew out of a template. */
  forgetTemplate(template: Template): void
}

const sizeOf = (place: Place): number => place.slot.machine.bytes.length

export const createPlaces = (modules: EngineModules, firstSlot: Slot, most: number, images: ImageCache): Places => {
  const newPlace = (slot: Slot): Place => ({ slot, occupant: undefined, turnsDone: 0, usedAt: 0 })
  let places = [newPlace(firstSlot)]
  let uses = 0
  let lottery = 1

  /** Memory of WebAssembly never shrinks, and a large one makes every swap slow. */
  const recycleIfGrown = (place: Place): void => {
    const bytes = sizeOf(place)
    if (bytes < GROWN_SLOT_BYTES) return
    const isCrowded = places.reduce((total, one) => total + sizeOf(one), 0) > SLOT_MEMORY_BYTES
    if (isCrowded || bytes > LARGEST_KEPT_SLOT_BYTES) place.slot = createSlot(modules)
  }

  const leave = (place: Place, isInOrder: boolean): void => {
    place.occupant = undefined
    if (isInOrder) wipe(place.slot)
    else distrust(place.slot)
    recycleIfGrown(place)
  }

  const park = (place: Place): void => {
    const { occupant, slot, turnsDone } = place
    if (occupant === undefined || slot.template === undefined) return
    const delta = takeOut(slot)
    images.park(occupant, { template: slot.template, turnsDone, delta })
    place.occupant = undefined
    recycleIfGrown(place)
  }

  const addPlace = (): Place => {
    const place = newPlace(createSlot(modules))
    places.push(place)
    return place
  }

  /**
   * Any occupant may have to go. Executions take turns in circles, and whenever there are more of them than places, the
   * one unused for longest is the very next to come.
   */
  const anyPlace = (): Place => {
    lottery = (Math.imul(lottery, 1_103_515_245) + 12_345) >>> 0
    return places[(lottery >>> 8) % places.length] ?? addPlace()
  }

  const empty = (template?: Template): Place => {
    const free = places.filter((place) => place.occupant === undefined)
    const place =
      free.find((candidate) => candidate.slot.template === template) ??
      free[0] ??
      (places.length < most ? addPlace() : anyPlace())
    park(place)
    place.usedAt = ++uses
    return place
  }

  const occupy = (place: Place, executionId: string, turnsDone: number): Place => {
    place.occupant = executionId
    place.turnsDone = turnsDone
    return place
  }

  const placeOf = (executionId: string): Place | undefined => places.find((place) => place.occupant === executionId)

  return {
    enter: (executionId, turnsDone, template) => {
      const current = placeOf(executionId)
      if (current !== undefined && turnsDone > 0 && current.turnsDone === turnsDone) {
        current.usedAt = ++uses
        return current
      }
      if (current !== undefined) leave(current, true)
      const image = images.take(executionId)
      if (turnsDone === 0) {
        const place = empty(template)
        loadSlot(place.slot, template, undefined)
        return occupy(place, executionId, 0)
      }
      if (image?.turnsDone !== turnsDone) return undefined
      const place = empty(image.template)
      loadSlot(place.slot, image.template, image.delta)
      return occupy(place, executionId, turnsDone)
    },
    empty,
    settle: (place) => {
      if (sizeOf(place) >= GROWN_SLOT_BYTES) park(place)
    },
    leave,
    forget: (executionId) => {
      images.forget(executionId)
      const place = placeOf(executionId)
      if (place !== undefined) leave(place, true)
    },
    trim: (kept) => {
      const byUse = places.toSorted((left, right) => right.usedAt - left.usedAt)
      for (const place of byUse.slice(kept)) park(place)
      places = byUse.slice(0, kept)
    },
    forgetTemplate: (template) => {
      images.forgetTemplate(template)
      for (const place of places) if (place.slot.template === template) leave(place, false)
    },
  }
}
