import { describe, expect, it } from 'vitest'
import type { ApiError } from '../contract/errors.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { processorMs } from '../shared/processor-time.test-support.ts'
import { manifestFault } from './manifest-fault.ts'
import { createProgramSchemas } from './program-schemas.ts'

const version = (id: string, manifest: unknown): VersionRecord => ({
  id,
  programId: 'p',
  projectId: 'default',
  number: 1,
  digest: '',
  origin: 'upload',
  hasEffects: false,
  runnable: true,
  manifest: JSON.stringify(manifest),
  createdAt: 0,
})

const refusalOf = (run: () => void): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    expect((error as ApiError).code).toBe('invalid_input')
    return (error as ApiError).message
  }
}

describe('the schemas of Programs', () => {
  it('belong to each version', () => {
    const schemas = createProgramSchemas(() => 0)
    const one = version('ver_1', { inputSchema: { type: 'string' } })
    const two = version('ver_2', { inputSchema: { type: 'number' } })
    for (let round = 0; round < 2; round += 1) {
      expect(refusalOf(() => schemas.checkInput(one, 'a', '"a"'))).toBeUndefined()
      expect(refusalOf(() => schemas.checkInput(two, 'a', '"a"'))).toBe('input must be number')
      expect(refusalOf(() => schemas.checkPayload(one, 'go', 1, '1'))).toBeUndefined()
    }
  })

  it('apply from the first event of a name', () => {
    const schemas = createProgramSchemas(() => 0)
    const events = [
      { name: 'go', payloadSchema: { type: 'string' } },
      { name: 'go', payloadSchema: { type: 'null' } },
    ]
    const declared = version('ver_1', { events })
    expect(refusalOf(() => schemas.checkPayload(declared, 'go', 'a', '"a"'))).toBeUndefined()
    expect(refusalOf(() => schemas.checkPayload(declared, 'go', undefined, undefined))).toBe('payload must be string')
  })

  it('are not checked again soon if they took too long, so that callers cannot block the process', () => {
    let now = 1_000
    const schemas = createProgramSchemas(() => now)
    const slow = version('ver_1', {
      inputSchema: { pattern: '^(a+)+$' },
      events: [{ name: 'go', payloadSchema: { type: 'string' } }],
    })
    const attack = `${'a'.repeat(60)}!`
    const ask = (value: string) => refusalOf(() => schemas.checkInput(slow, value, JSON.stringify(value)))
    expect(ask('aaa')).toBeUndefined()
    expect(ask(attack)).toContain('cannot be checked')
    const before = processorMs()
    for (let round = 0; round < 1_000; round += 1) expect(ask(attack)).toContain('cannot be checked')
    expect(processorMs() - before).toBeLessThan(2_000)
    now += 10_001
    expect(ask('aaa')).toBeUndefined()
  })

  it('are cached for some versions, and read again for others', () => {
    const schemas = createProgramSchemas(() => 0)
    for (let number = 0; number < 1_500; number += 1) {
      const one = version(`ver_${number}`, { inputSchema: { const: number } })
      expect(refusalOf(() => schemas.checkInput(one, number, String(number)))).toBeUndefined()
    }
    const first = version('ver_0', { inputSchema: { const: 0 } })
    expect(refusalOf(() => schemas.checkInput(first, 1, '1'))).toContain('input')
  })
})

describe('a manifest', () => {
  it('with many slow schemas is refused in time', async () => {
    const slow = { anyOf: Array.from({ length: 18 }, () => ({ pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' })) }
    const events = Array.from({ length: 300 }, (_, index) => ({
      name: `e${index}`,
      payloadSchema: { allOf: Array(40).fill(slow) as unknown[] },
    }))
    const before = performance.now()
    expect(await manifestFault({ events })).toMatch(/^manifest\/events\/\d+\/payloadSchema cannot be used/)
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})
