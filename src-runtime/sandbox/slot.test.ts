// After an Execution has left its slot, no byte that it wrote is left there, however it wrote it.

import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createImageCache } from './image-cache.ts'
import { makeHostParts } from './make-host-parts.ts'
import { DELIVERY_KINDS } from './protocol.ts'
import { runTurn } from './run-turn.ts'
import { createSlotPool } from './slot-pool.ts'
import { createSlot, distrust, loadSlot, takeOut, wipe, type Slot, type Template } from './slot.ts'
import { buildTemplate } from './template.ts'

const { engine, boot: bootFrom } = makeHostParts()
const boot = bootFrom(createSlot(engine))
const watch = () => undefined

const templateOf = (slot: Slot, body: string): Template => {
  const built = buildTemplate(slot, boot, `({ run: async (ctx, input) => { ${body} } })`, watch)
  if (built.kind !== 'template') throw new Error(JSON.stringify(built))
  return built.template
}

const template = templateOf(createSlot(engine), 'return await ctx.waitForEvent(input.name)')
/** The memory of a slot that was never used. */
const clean = (() => {
  const slot = createSlot(engine)
  loadSlot(slot, template, undefined)
  return Buffer.from(slot.machine.bytes)
})()

const isZero = (bytes: Buffer): boolean => bytes.equals(Buffer.alloc(bytes.length))

/** The memory may have grown; what it grew by must be zeros. */
const expectClean = ({ machine: { bytes } }: Slot): void => {
  expect(bytes.subarray(0, clean.length).equals(clean)).toBe(true)
  expect(isZero(bytes.subarray(clean.length))).toBe(true)
}

/** The engine's own functions write for hostile code that has taken over the engine. */
type Hostile = {
  memset(to: number, value: number, bytes: number): number
  memcpy(to: number, from: number, bytes: number): number
}
const hostile = ({ machine }: Slot): Hostile => machine.engine as unknown as Hostile

const leave = {
  'ends in order': wipe,
  'is parked': (slot: Slot) => void takeOut(slot),
  'is cut off': (slot: Slot) => {
    distrust(slot)
    loadSlot(slot, template, undefined)
  },
}

describe.each(Object.entries(leave))('code that writes everywhere and %s', (_, leaveSlot) => {
  let slot = createSlot(engine)
  beforeEach(() => {
    slot = createSlot(engine)
    loadSlot(slot, template, undefined)
  })

  test('leaves nothing: constants, functions, stack, heap and new memory', () => {
    slot.machine.engine.memory.grow(40)
    hostile(slot).memset(0, 0xaa, slot.machine.bytes.length)
    expect(slot.machine.bytes.equals(Buffer.alloc(slot.machine.bytes.length, 0xaa))).toBe(true)
    leaveSlot(slot)
    expectClean(slot)
  })

  test('leaves nothing anywhere, also while other slots are used', () => {
    const other = createSlot(engine)
    loadSlot(other, template, undefined)
    const place = fc.record({
      to: fc.nat(clean.length - 8),
      bytes: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.nat(70_000)),
    })
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 8 }), fc.boolean(), (places, isOtherUsed) => {
        for (const { to, bytes } of places) {
          const count = Math.min(bytes, clean.length - to)
          hostile(slot).memset(to, 0x55, count)
          if (isOtherUsed) hostile(other).memcpy(clean.length - to - count, to, count)
        }
        leaveSlot(slot)
        expectClean(slot)
        leaveSlot(other)
        expectClean(other)
      }),
      { numRuns: 60 },
    )
  })
})

test('a parked occupant of much memory is the same in another slot', () => {
  const [slot, other] = [createSlot(engine), createSlot(engine)]
  loadSlot(slot, template, undefined)
  slot.machine.engine.memory.grow(200)
  const { length } = slot.machine.bytes
  hostile(slot).memset(slot.stackTop, 0x55, length - slot.stackTop)
  const before = Buffer.from(slot.machine.bytes)
  loadSlot(other, template, takeOut(slot))
  expect(other.machine.bytes.equals(before)).toBe(true)
})

test('a large template leaves nothing to a smaller one', () => {
  const slot = createSlot(engine)
  const large = templateOf(slot, `return '${'x'.repeat(3_000_000)}'`)
  expect(large.memory.bytes.length).toBeGreaterThan(template.memory.bytes.length)
  loadSlot(slot, template, undefined)
  expectClean(slot)
})

describe('Programs leave nothing', () => {
  const start = { kind: DELIVERY_KINDS.start, at: 1_000, command: 0, data: '{"input":{"name":"secret"}}' }
  const identity = { executionId: 'exe_1', programId: 'program', versionNumber: 1 }
  const bodies: Readonly<Record<string, string>> = {
    'that waits': 'await ctx.waitForEvent(input.name)',
    'that fails': 'throw new TypeError(input.name)',
    'that uses every part of the engine': `
      const url = new URL('https://example.org/?q=' + input.name)
      console.log('%o', { url, id: crypto.randomUUID(), at: new Date() }, /s(e)c/.exec(input.name))
      const big = 2n ** 500n, map = new Map([[input.name, structuredClone(input)]])
      return [JSON.stringify([...map]), String(big), new TextDecoder().decode(new TextEncoder().encode(input.name))]`,
    'that needs more memory': `globalThis.kept = Array.from({ length: 60_000 }, (_, i) => input.name + i); return kept.length`,
    'that recurses deeply': `const deep = (n) => { try { return deep(n + 1) } catch { return n } }; return deep(0)`,
  }

  test.each(Object.entries(bodies))('%s', (_, body) => {
    const slot = createSlot(engine)
    const program = templateOf(slot, body)
    const before = Buffer.from(slot.machine.bytes)
    for (const leaveSlot of [wipe, (used: Slot) => void takeOut(used)]) {
      loadSlot(slot, program, undefined)
      expect(runTurn(slot, start, identity, watch).kind).toBe('output')
      leaveSlot(slot)
      expect(slot.machine.bytes.subarray(0, before.length).equals(before)).toBe(true)
      expect(isZero(slot.machine.bytes.subarray(before.length))).toBe(true)
    }
  })
})

test('slots that an idle host gives up are not kept by the notes of what they wrote', () => {
  const pool = createSlotPool(engine, createSlot(engine), 4, createImageCache(1024 * 1024))
  const slots = ['exe_1', 'exe_2', 'exe_3', 'exe_4'].map((id) => pool.load(id, '', 0, template)!.slot)
  pool.trim(2)
  expect(slots.slice(2).map(({ machine }) => machine.written)).toContain(engine.notes.writer)
})

test('no image is kept of a template that is not', () => {
  const images = createImageCache(1024 * 1024)
  const pool = createSlotPool(engine, createSlot(engine), 2, images)
  for (const id of ['exe_1', 'exe_2']) pool.load(id, '', 0, template)
  pool.trim(1)
  expect(images.count).toBe(1)
  pool.forgetTemplate(template)
  expect(images.count).toBe(0)
})
