import { describe, expect, it } from 'vitest'
import type { ExecutionError } from '../engine/journal.ts'
import { causeChain } from './error-cause.ts'
import { fingerprintOf } from './error-fingerprint.ts'
import { processorMs } from './processor-time.test-support.ts'

const base: ExecutionError = {
  code: 'program_error',
  name: 'Error',
  message: 'card 4711 of order-17 was declined',
  stack:
    'Error: card 4711 of order-17 was declined\n    at charge (programs/pay.ts:4:9)\n    at run (programs/pay.ts:9:3)',
}
const isSame = (change: Partial<ExecutionError>) => fingerprintOf({ ...base, ...change }) === fingerprintOf(base)

describe('a fingerprint', () => {
  it.each([
    'card 4712 of order-99 was declined',
    'card 0.5 of order-17 was declined'.replace('0.5', '17'),
    'card exe_01jxmpe000e008000000000001 of order-17 was declined',
    'card 0xdeadbeef of 3f2504e0-4f89-41d3-9a0c-0305e82c3301 was declined',
    'card ٤٢ of order-17 was declined',
  ])('is the same with other numbers and ids: %s', (message) => {
    expect(isSame({ message })).toBe(true)
  })

  it('is another with another text, code, name, or first line of the author’s', () => {
    expect(isSame({ message: 'card 4711 of order-17 was refused' })).toBe(false)
    expect(isSame({ code: 'effect_failed' })).toBe(false)
    expect(isSame({ name: 'TypeError' })).toBe(false)
    expect(isSame({ stack: 'Error: x\n    at refund (programs/pay.ts:20:9)' })).toBe(false)
  })

  it('does not depend on frames that are not the author’s, nor on how the author’s first one was reached', () => {
    const stack = [
      'Error: anything',
      '    at Array.map (native)',
      '    at JSON.parse (<anonymous>)',
      '    at wrap (node_modules/helper/index.js:1:1)',
      '    at charge (programs/pay.ts:4:9)',
      '    at other (programs/pay.ts:30:3)',
    ].join('\n')
    expect(isSame({ stack })).toBe(true)
  })

  it('is another with another innermost cause, unless the message tells it', () => {
    const because = (...messages: readonly string[]) => ({
      ...causeChain(messages.map((message) => ({ name: 'Error', message }))),
    })
    const fetchFailed = (reason: string) =>
      fingerprintOf({ ...base, message: 'fetch failed', ...because('fetch failed', reason) })
    const refused = fetchFailed('connect ECONNREFUSED 127.0.0.1:1')
    expect(fetchFailed('connect ECONNREFUSED 10.0.0.2:80')).toBe(refused)
    const notFound = fetchFailed('getaddrinfo ENOTFOUND shop.example')
    expect(fetchFailed('getaddrinfo ENOTFOUND bank.example')).toBe(notFound)
    const again = fetchFailed('getaddrinfo EAI_AGAIN shop.example')
    expect(fetchFailed('getaddrinfo EAI_AGAIN bank.example')).toBe(again)
    const others = [
      'The EAN is unknown',
      'The EAN is too short',
      'certificate has expired',
      'ENOENT: no such file',
      'ERROR: no table',
      'ERROR: no column',
      'aborted',
      'fetch',
    ]
    expect(new Set([refused, notFound, again, ...others.map(fetchFailed)]).size).toBe(others.length + 3)
    expect(fetchFailed('fetch')).toBe(fingerprintOf({ ...base, message: 'fetch failed' }))
    expect(isSame(because('of order-17 was declined'))).toBe(true)
  })

  it('is the one that older runtimes stored, of an error without a cause', () => {
    expect(fingerprintOf(base)).toBe('3f12ec067060ab810f30d49b5807fa2a')
  })

  it('does not depend on where in its loop a turn was that used up its fuel', () => {
    const timeout = { code: 'program_timeout', message: 'A turn used up its fuel' } as const
    const fingerprint = fingerprintOf(timeout)
    expect(fingerprintOf({ ...timeout, stack: 'Error: x\n    at run (programs/pay.ts:4:9)' })).toBe(fingerprint)
  })

  it('is there without a name and a stack', () => {
    expect(fingerprintOf({ code: 'result_too_large', message: '' })).toMatch(/^[0-9a-f]{32}$/)
  })

  it('takes no time for a message made to take some', () => {
    const before = processorMs()
    fingerprintOf({ ...base, message: 'a-_'.repeat(1_000_000), stack: '    at '.repeat(100_000) })
    expect(processorMs() - before).toBeLessThan(500)
  })
})
