// A slot is one instance of the engine, in which many Executions run in turn. Its memory is a template, plus the pages
// in which its occupant differs from it.

import { baseMemory, findDirtyPages, type BaseMemory } from './dirty-pages.ts'
import type { EngineModules } from './engine-files.ts'
import { GUEST_LIMITS } from './limits.ts'
import { Machine, type Pointer } from './machine.ts'
import { applyDelta, extractDelta, restorePages, type Delta } from './page-delta.ts'

/** Addresses of the guest runtime's entry points; the same in every image made from one boot template. */
export type GuestAddresses = {
  readonly install: Pointer
  readonly deliver: Pointer
  readonly takeOutput: Pointer
  readonly unhandled: Pointer
  readonly siteOf: Pointer
  readonly labelOf: Pointer
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

const WASM_PAGE_BYTES = 64 * 1024
const ROOM_BEFORE_COLLECTION_BYTES = 512 * 1024
const STACK_PIECE_BYTES = 32 * 1024
const ZEROS = Buffer.alloc(STACK_PIECE_BYTES)

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

const writeTemplate = (slot: Slot, template: Template): void => {
  const touched = slot.template === undefined ? slot.machine.bytes.length : touchedEnd(slot)
  const end = slot.stackTop + template.memory.bytes.length
  grow(slot, end)
  const memory = slot.machine.bytes
  template.memory.bytes.copy(memory, slot.stackTop)
  if (touched > end) memory.fill(0, end, touched)
}

/** Clears the unused stack, so that no data of one Execution is left for the next. It is used from the top down. */
const scrubStack = ({ machine, stackTop }: Slot): void => {
  const memory = machine.bytes
  for (let end = stackTop; end > 0; end -= STACK_PIECE_BYTES) {
    const start = end - STACK_PIECE_BYTES
    if (memory.compare(ZEROS, 0, STACK_PIECE_BYTES, start, end) === 0) return
    memory.fill(0, start, end)
  }
}

const settle = (slot: Slot, template: Template, extentBytes: number): void => {
  slot.template = template
  slot.extentBytes = extentBytes
  slot.loadedBytes = slot.machine.bytes.length
  slot.machine.engine.__stack_pointer.value = slot.stackTop
  slot.machine.dropRejections()
  scrubStack(slot)
}

/** Loads the template, and an image if given, into a slot without an occupant. */
export const loadSlot = (slot: Slot, template: Template, delta: Delta | undefined): void => {
  if (slot.template !== template) writeTemplate(slot, template)
  const end = slot.stackTop + template.memory.bytes.length
  if (delta !== undefined) {
    grow(slot, delta.memoryBytes)
    applyDelta(slot.machine.words, delta)
  }
  settle(slot, template, Math.max(end, delta?.memoryBytes ?? 0))
}

/** Extracts the occupant as a delta, and restores the template. */
export const takeOut = (slot: Slot): Delta => {
  const template = knownTemplate(slot)
  const end = touchedEnd(slot)
  const pages = findDirtyPages(slot.machine.bytes, template.memory, end)
  const delta = extractDelta(slot.machine.words, template.memory, pages, end)
  shrink(slot, template)
  return delta
}

/** Removes an occupant that ended normally. */
export const wipe = (slot: Slot): void => {
  const template = knownTemplate(slot)
  const pages = findDirtyPages(slot.machine.bytes, template.memory, touchedEnd(slot))
  restorePages(slot.machine.bytes, template.memory, pages)
  shrink(slot, template)
}

const shrink = (slot: Slot, template: Template): void => {
  slot.extentBytes = slot.stackTop + template.memory.bytes.length
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
  const template = {
    memory: baseMemory(Buffer.from(slot.machine.bytes.subarray(slot.stackTop)), slot.stackTop),
    addresses,
    hasLabel: slot.machine.bytes[addresses.control + 1] === 1,
  }
  settle(slot, template, slot.machine.bytes.length)
  return template
}

const knownTemplate = (slot: Slot): Template => {
  if (slot.template === undefined) throw new Error('The slot holds nothing known')
  return slot.template
}
