import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorStatuses, type ErrorCode } from '../contract/errors.ts'
import { operations } from '../contract/operations.ts'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
const ids: string[] = []
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello', {
    manifest: {
      inputSchema: { type: ['object', 'null'] },
      events: [{ name: 'go', payloadSchema: { pattern: '^a*$' } }],
    },
  })
  for (let number = 0; number < 3; number += 1) ids.push(await rig.start('hello', { do: 'wait', for: 'go' }))
})
afterAll(() => rig.close())

const sometimes = <Value>(good: readonly Value[], other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: other })

const headerText = fc.stringMatching(/^[ -~]{0,40}$/)
const routes = Object.values(operations)
  .filter(({ path }) => path !== '/v1/changes')
  .map(({ method, path }) => ({ method, path }))
const names = [
  'limit',
  'cursor',
  'status',
  'programId',
  'version',
  'createdAfter',
  'createdBefore',
  'q',
  'challenge',
  '__proto__',
]
const members = [
  'name',
  'payload',
  'programId',
  'input',
  'version',
  'format',
  'id',
  'program',
  'manifest',
  'effects',
  'code',
  'inputSchema',
  'events',
  '__proto__',
]

const body = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('hello', 'go', 'wes.program/1', 1, 'run'),
    fc.jsonValue(),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 5 }),
}))

const requests = fc.record({
  route: fc.constantFrom(...routes),
  method: sometimes<string | undefined>(
    [undefined],
    fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
  ),
  id: sometimes(['hello', 'ID'], fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })),
  query: fc.array(
    fc.tuple(
      fc.constantFrom(...names),
      sometimes(['1', '200', 'completed', '2026-01-01', 'aGVsbG8'], fc.string({ unit: 'binary', maxLength: 10 })),
    ),
    { maxLength: 3 },
  ),
  headers: fc.dictionary(
    fc.constantFrom('prefer', 'idempotency-key', 'x-service-project-id', 'accept', 'content-type', 'if-none-match'),
    sometimes(['wait=0', 'default', 'application/json'], headerText),
    { maxKeys: 3 },
  ),
  payload: fc.oneof(
    body.object.map((value) => JSON.stringify(value)),
    fc.string({ maxLength: 30 }),
    fc.constant(undefined),
  ),
})

describe('any request', () => {
  it('gets an answer of the contract, and never an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ route, method, id, query, headers, payload }) => {
        const verb = method ?? route.method
        const which = id === 'ID' ? ids[0]! : id
        // Lone surrogates have no place in a URL.
        const escaped = encodeURIComponent(which.toWellFormed())
        const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')
        const withBody = verb !== 'GET' && verb !== 'HEAD' && payload !== undefined
        const answer = await rig.call(verb, `${route.path.replace(':id', escaped)}?${search}`, {
          headers: { ...(withBody && { 'content-type': 'application/json' }), ...headers },
          ...(withBody && { body: payload }),
        })
        expect(answer.status).not.toBe(500)
        if (answer.status >= 400 && verb !== 'HEAD') {
          expect(errorStatuses[answer.json.error.code as ErrorCode]).toBe(answer.status)
        }
      }),
      { numRuns: 400 },
    )
    expect((await rig.call('GET', '/healthz')).status).toBe(200)
  })
})
