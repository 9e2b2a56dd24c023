// A slot is one instance of the engine, in which many Executions run in turn. Its memory is a template, plus the pages
// in which its occupant differs from it.

import type { EngineModules } from './engine-files.ts'
import { GUEST_LIMITS, PAGE_BYTES, WASM_PAGE_BYTES } from './limits.ts'
import { Machine, type Pointer } from './machine.ts'
import {
  applyDelta,
  baseMemory,
  changedPages,
  extractDelta,
  restorePages,
  type BaseMemory,
  type Delta,
} from './page-delta.ts'

/** Addresses of the guest runtime's entry points; the same in every image made from one boot template. */
export type GuestAddresses = {
  readonly install: Pointer
  readonly deliver: Pointer
  readonly takeOutput: Pointer
  readonly unhandled: Pointer
  readonly siteOf: Pointer
  readonly labelOf: Pointer
  readonly supervise: Pointer
  readonly undefinedValue: Pointer
  /** Where the guest reports the state of the turn, and whether the Program has a `label` function. */
  readonly control: Pointer
  /** Space for three arguments. */
  readonly argv: Pointer
  readonly lengthOut: Pointer
}

export type Template = {
  /** From the top of the engine's stack upwards. */
  readonly memory: BaseMemory
  readonly addresses: GuestAddresses
  readonly hasLabel: boolean
}

export type Slot = {
  readonly machine: Machine
  /** The stack lies below. Between turns it holds nothing that is in use. */
  readonly stackTop: number
  /** Absent: the memory's state is unknown, and the next load must write all of it. */
  template: Template | undefined
  /** Memory up to here may differ from the template. */
  extentBytes: number
  /** The size of the memory when the occupant moved in. */
  loadedBytes: number
}

const ROOM_BEFORE_COLLECTION_BYTES = 512 * 1024

export const createSlot = (modules: EngineModules): Slot => {
  const machine = new Machine(modules, GUEST_LIMITS)
  const stackTop = machine.engine.__stack_pointer.value as number
  if (stackTop % WASM_PAGE_BYTES !== 0) throw new Error('The engine has an unexpected memory layout')
  return { machine, stackTop, template: undefined, extentBytes: 0, loadedBytes: machine.bytes.length }
}

const grow = (slot: Slot, memoryBytes: number): void => {
  const missing = memoryBytes - slot.machine.bytes.length
  if (missing > 0) slot.machine.engine.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES))
}

/**
 * The end of the memory that the occupant can have changed, so that a slot that once grew stays cheap for small ones.
 */
const touchedEnd = (slot: Slot): number => {
  const size = slot.machine.bytes.length
  return size > slot.loadedBytes ? size : slot.extentBytes
}

const endOf = (slot: Slot, template: Template): number => slot.stackTop + template.memory.bytes.length

const writeTemplate = (slot: Slot, template: Template): void => {
  const { machine, stackTop } = slot
  const end = endOf(slot, template)
  grow(slot, end)
  const memory = machine.bytes
  const endBefore = slot.template === undefined ? memory.length : endOf(slot, slot.template)
  restorePages(machine.words, template.memory, changedPages(machine.words, template.memory, machine.written.take()))
  template.memory.bytes.copy(memory, stackTop)
  if (endBefore > end) memory.fill(0, end, endBefore)
}

const settle = (slot: Slot, template: Template, extentBytes: number): void => {
  slot.template = template
  slot.extentBytes = extentBytes
  slot.loadedBytes = slot.machine.bytes.length
  slot.machine.engine.__stack_pointer.value = slot.stackTop
  slot.machine.dropRejections()
}

/** Loads the template, and an image if given, into a slot without an occupant. */
export const loadSlot = (slot: Slot, template: Template, delta: Delta | undefined): void => {
  if (slot.template !== template) writeTemplate(slot, template)
  if (delta !== undefined) {
    grow(slot, delta.memoryBytes)
    applyDelta(slot.machine.words, slot.machine.written, delta)
  }
  settle(slot, template, Math.max(endOf(slot, template), delta?.memoryBytes ?? 0))
}

/** Whether its memory is larger than the template: the engine then places in it otherwise what needs more. */
export const hasGrown = (slot: Slot, template: Template): boolean => slot.machine.bytes.length > endOf(slot, template)

/** Throws if the memory's state is unknown. */
export const knownTemplate = (slot: Slot): Template => {
  if (slot.template === undefined) throw new Error('The slot holds nothing known')
  return slot.template
}

/** Extracts the occupant as a delta, and restores the template. The stack is cleared: it holds nothing that is in use. */
export const takeOut = (slot: Slot): Delta => {
  const { memory } = knownTemplate(slot)
  const { words, written } = slot.machine
  const pages = changedPages(words, memory, written.take())
  const above = pages.findIndex((page) => page * PAGE_BYTES >= slot.stackTop)
  const stackPages = above === -1 ? pages.length : above
  restorePages(words, memory, pages.subarray(0, stackPages))
  const delta = extractDelta(words, memory, pages.subarray(stackPages), touchedEnd(slot))
  shrink(slot)
  return delta
}

/** Removes an occupant that ended normally. */
export const wipe = (slot: Slot): void => {
  const { memory } = knownTemplate(slot)
  const { words, written } = slot.machine
  restorePages(words, memory, changedPages(words, memory, written.take()))
  shrink(slot)
}

const shrink = (slot: Slot): void => {
  slot.extentBytes = endOf(slot, knownTemplate(slot))
  slot.loadedBytes = slot.machine.bytes.length
}

/** After a trap, an interrupt or another fault, the memory may be damaged: the next load writes all of it. */
export const distrust = (slot: Slot): void => {
  slot.template = undefined
  slot.machine.dropRejections()
}

const LARGEST_HOLE_BYTES = 64 * 1024
/** The allocator takes smaller pieces from slabs of one size each. */
const LARGEST_SMALL_BYTES = 512

/**
 * Booting leaves free pieces all over the heap. Executions that use them would change many pages. So they are filled,
 * and Executions begin on fresh memory, which has a prepared slab for every small size.
 */
const fillHoles = (machine: Machine): void => {
  const { engine } = machine
  const context = engine.qjs_get_context_ptr()
  const fresh = engine.js_malloc(context, LARGEST_HOLE_BYTES)
  // Clear what parsing left behind: zeros make smaller images.
  machine.bytes.fill(0, fresh, fresh + LARGEST_HOLE_BYTES)
  engine.js_free(context, fresh)
  for (let size = LARGEST_HOLE_BYTES; size >= 8; size -= size > LARGEST_SMALL_BYTES ? size >> 2 : 8) {
    let piece = engine.js_malloc(context, size)
    while (piece !== 0 && piece < fresh) piece = engine.js_malloc(context, size)
    if (size > LARGEST_SMALL_BYTES) engine.js_free(context, piece)
  }
}

/**
 * Makes a template of the slot's current content. A garbage collection relinks every object and so changes every page;
 * Executions get some memory before their first one.
 */
export const snapshot = (slot: Slot, addresses: GuestAddresses): Template => {
  slot.machine.engine.qjs_run_gc()
  slot.machine.engine.qjs_set_gc_threshold(slot.machine.bytes.length - slot.stackTop + ROOM_BEFORE_COLLECTION_BYTES)
  fillHoles(slot.machine)
  const { bytes, words, written } = slot.machine
  const memory = baseMemory(Buffer.from(bytes.subarray(slot.stackTop)), slot.stackTop)
  restorePages(words, memory, changedPages(words, memory, written.take()))
  const template = { memory, addresses, hasLabel: bytes[addresses.control + 1] === 1 }
  settle(slot, template, slot.machine.bytes.length)
  return template
}
