import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApiError } from '../contract/errors.ts'
import type { ProgramSchemas } from '../ports/operation-ports.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { processorMs } from '../shared/processor-time.test-support.ts'
import { createProgramSchemas } from './program-schemas.ts'
import { createSchemaThreads } from './schema-threads.ts'

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

const refusalOf = async (run: () => void | Promise<void>): Promise<string | undefined> => {
  try {
    await run()
    return undefined
  } catch (error) {
    expect((error as ApiError).code).toBe('invalid_input')
    return (error as ApiError).message
  }
}

const schemasOfTenants = (options?: { readonly waitMs: number }): ((tenant: string) => ProgramSchemas) => {
  const threads = createSchemaThreads(options)
  onTestFinished(threads.stop)
  return createProgramSchemas(threads)
}

/** Checking the attack takes until its time is up. */
const slow = version('ver_slow', { inputSchema: { pattern: '^(a+)+$' } })
const ATTACK = `${'a'.repeat(60)}!`
const checkSlow = ({ checkInput }: ProgramSchemas, input: string) =>
  refusalOf(() => checkInput(slow, input, JSON.stringify(input)))

const codeOf = async ({ checkInput }: ProgramSchemas, input: string): Promise<string | undefined> => {
  try {
    await checkInput(slow, input, JSON.stringify(input))
    return undefined
  } catch (error) {
    return (error as ApiError).code
  }
}

describe('the schemas of Programs', () => {
  it('belong to each version', async () => {
    const schemas = schemasOfTenants()('wsp_1')
    const one = version('ver_1', { inputSchema: { type: 'string' } })
    const two = version('ver_2', { inputSchema: { type: 'number' } })
    const three = version('ver_3', { inputSchema: { pattern: '^b' } })
    for (let round = 0; round < 2; round += 1) {
      expect(await refusalOf(() => schemas.checkInput(one, 'a', '"a"'))).toBeUndefined()
      expect(await refusalOf(() => schemas.checkInput(two, 'a', '"a"'))).toBe('input must be number')
      expect(await refusalOf(() => schemas.checkInput(three, 'a', '"a"'))).toBe('input must match pattern "^b"')
      expect(await refusalOf(() => schemas.checkInput(three, 'b', '"b"'))).toBeUndefined()
      expect(await checkSlow(schemas, 'aaa')).toBeUndefined()
      expect(await refusalOf(() => schemas.checkPayload(one, 'go', 1, '1'))).toBeUndefined()
    }
  })

  it('apply from the first event of a name', async () => {
    const schemas = schemasOfTenants()('wsp_1')
    const events = [
      { name: 'go', payloadSchema: { type: 'string' } },
      { name: 'go', payloadSchema: { type: 'null' } },
    ]
    const declared = version('ver_1', { events })
    expect(await refusalOf(() => schemas.checkPayload(declared, 'go', 'a', '"a"'))).toBeUndefined()
    const missing = () => schemas.checkPayload(declared, 'go', undefined, undefined)
    expect(await refusalOf(missing)).toBe('payload must be string')
  })

  it('are checked at once where that is quick', () => {
    const schemas = schemasOfTenants()('wsp_1')
    const quick = version('ver_1', { inputSchema: { type: 'object', properties: { at: { format: 'date-time' } } } })
    expect(schemas.checkInput(quick, {}, '{}')).toBeUndefined()
  })

  it('take none of the time of the thread that serves callers where they are slow', async () => {
    const schemas = schemasOfTenants()
    const large = Array(100_000).fill(1_999)
    const text = JSON.stringify(large)
    const alternatives = Array.from({ length: 2_000 }, (_, index) => ({ const: index }))
    const many = version('ver_many', { inputSchema: { items: { anyOf: alternatives } } })
    const slowest = { allOf: Array(40).fill(SLOW) as unknown[] }
    const before = process.threadCpuUsage()
    const refusals = await Promise.all([
      ...Array.from({ length: 8 }, () => checkSlow(schemas('wsp_1'), ATTACK)),
      refusalOf(() => schemas('wsp_2').checkInput(many, large, text)),
      schemas('wsp_2').faultOf({ inputSchema: slowest }, JSON.stringify({ inputSchema: slowest })),
    ])
    const { user, system } = process.threadCpuUsage(before)
    for (const refusal of refusals.slice(0, 9)) expect(refusal).toContain('cannot be checked')
    // More than 800 ms in the other threads.
    expect((user + system) / 1_000).toBeLessThan(400)
  })

  it('of one tenant keep no other waiting, and its own versions take turns', async () => {
    const schemas = schemasOfTenants()
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const own = version('ver_own', { inputSchema: { pattern: '^a' } })
    const attacks = Array.from({ length: 6 }, () => checkSlow(schemas('wsp_1'), ATTACK).then(note('slow')))
    await Promise.all([
      ...attacks,
      refusalOf(() => schemas('wsp_1').checkInput(own, 'a', '"a"')).then(note('own')),
      checkSlow(schemas('wsp_2'), 'aaa').then(note('other')),
    ])
    expect(ended.indexOf('other')).toBeLessThan(2)
    expect(ended.indexOf('own')).toBeLessThan(4)
  })

  it('are too many to check once one has waited for too long', async () => {
    const schemas = schemasOfTenants({ waitMs: 50 })('wsp_1')
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(schemas, ATTACK)))
    expect(codes[0]).toBe('invalid_input')
    expect(codes.at(-1)).toBe('rate_limited')
  })

  it('still accept what matches after a value that took too long', async () => {
    const schemas = schemasOfTenants()('wsp_1')
    expect(await checkSlow(schemas, ATTACK)).toContain('cannot be checked')
    expect(await checkSlow(schemas, 'aaa')).toBeUndefined()
  })

  it('cannot be checked once all stops', async () => {
    const threads = createSchemaThreads()
    const schemas = createProgramSchemas(threads)('wsp_1')
    const underWay = codeOf(schemas, ATTACK)
    await threads.stop()
    await threads.stop()
    expect(await underWay).toBe('unavailable')
    expect(await codeOf(schemas, 'a')).toBe('unavailable')
  })

  it('are cached for some versions, and read again for others', async () => {
    const schemas = schemasOfTenants()('wsp_1')
    for (let number = 0; number < 1_500; number += 1) {
      const one = version(`ver_${number}`, { inputSchema: { const: number } })
      expect(await refusalOf(() => schemas.checkInput(one, number, String(number)))).toBeUndefined()
    }
    const first = version('ver_0', { inputSchema: { const: 0 } })
    expect(await refusalOf(() => schemas.checkInput(first, 1, '1'))).toContain('input')
  })
})

const SLOW = { anyOf: Array.from({ length: 18 }, () => ({ pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' })) }

describe('a manifest', () => {
  it('with many slow schemas is refused in time', async () => {
    const { faultOf } = schemasOfTenants()('wsp_1')
    const events = Array.from({ length: 300 }, (_, index) => ({
      name: `e${index}`,
      payloadSchema: { allOf: Array(40).fill(SLOW) as unknown[] },
    }))
    const before = processorMs()
    const fault = await faultOf({ events }, JSON.stringify({ events }))
    expect(fault).toMatch(/^manifest\/events\/\d+\/payloadSchema cannot be used/)
    expect(processorMs() - before).toBeLessThan(5_000)
  })
})
