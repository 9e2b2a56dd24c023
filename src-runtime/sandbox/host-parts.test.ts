import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LAYOUT_FILE, readHostParts } from './host-parts.ts'
import { makeBootFiles, makeHostParts } from './make-host-parts.ts'
import { createRig, logsOf, resultOf } from './runner-rig.test-support.ts'
import { createSlot, loadSlot } from './slot.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wes-boot-'))
  for (const [name, bytes] of makeBootFiles()) writeFileSync(join(folder, name), bytes)
})

afterAll(() => rmSync(folder, { recursive: true }))

const BODY = `
  console.log('%o', { input, random: Math.random(), id: crypto.randomUUID() })
  const url = new URL('../b?c=1', 'https://example.org/a/x')
  await ctx.sleep(5)
  return structuredClone({ at: Date.now(), url: url.href, bytes: new TextEncoder().encode('é').length })`

test("a host that starts from the build's files gives the same output for every turn", () => {
  const runs = [createRig(), createRig({}, undefined, readHostParts(folder))].map((rig) => {
    const execution = rig.program(BODY)
    const { operations } = execution.start({ n: 1 })
    const logs = logsOf(execution.last)
    return { operations, logs, result: resultOf(execution.timer(1)) }
  })
  expect(runs[1]).toEqual(runs[0])
  expect(runs[0]?.logs).toHaveLength(1)
  expect(runs[0]?.result).toMatchObject({ url: 'https://example.org/b?c=1', bytes: 2 })
})

test('a slot whose engine was not initialised holds the same as one whose engine was', () => {
  const slots = [makeHostParts(), readHostParts(folder)].map(({ engine, boot }) => {
    const template = boot(createSlot(engine))
    const slot = createSlot(engine)
    loadSlot(slot, template, undefined)
    return slot
  })
  const [initialised, other] = slots.map(({ machine }) => machine)
  expect(other?.bytes.equals(initialised?.bytes ?? Buffer.alloc(0))).toBe(true)
  expect(other?.extensionsAt).toEqual(initialised?.extensionsAt)
})

test('warming up leaves nothing for the Executions after it', () => {
  const [cold, warm] = [createRig(), createRig()]
  warm.runner.warmUp()
  const outputs = [cold, warm].map((rig) => {
    const execution = rig.program(BODY)
    return [execution.start({ n: 1 }), execution.timer(1)]
  })
  expect(outputs[1]).toEqual(outputs[0])
  expect(warm.runner.images.count).toBe(0)
})

test('every process creates the same files', () => {
  const script = `
    const { createHash } = await import('node:crypto')
    const { makeBootFiles } = await import(${JSON.stringify(new URL('./make-host-parts.ts', import.meta.url).href)})
    const hash = createHash('sha256')
    for (const [name, bytes] of makeBootFiles()) hash.update(name).update(bytes)
    process.stdout.write(hash.digest('hex'))`
  const flags = ['--input-type=module', '--no-warnings', '-e', script]
  const other = spawnSync(process.execPath, flags, { encoding: 'utf8' })
  const own = createHash('sha256')
  for (const [name, bytes] of makeBootFiles()) own.update(name).update(bytes)
  expect(other.stdout).toBe(own.digest('hex'))
})

test('a layout of another engine is refused', () => {
  writeFileSync(join(folder, LAYOUT_FILE), JSON.stringify({ stackTop: 65_536, initialised: undefined, addresses: {} }))
  expect(() => createRig({}, undefined, readHostParts(folder))).toThrow('not the one that this build was made with')
})
