import { expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { mayHaveBeenSaved, saveRefusal } from './save-refusal.ts'

it('takes a save as possibly done unless the service refused it', () => {
  const isPossible = (status: number, code: string) =>
    mayHaveBeenSaved(new ServiceRuntimeError({ status, code, message: code }))
  expect(isPossible(0, 'network_error')).toBe(true)
  expect(isPossible(502, 'bad_gateway')).toBe(true)
  expect(isPossible(412, 'precondition_failed')).toBe(false)
  expect(isPossible(400, 'invalid_request')).toBe(false)
})

it.each([
  [0, 'network_error', 'fetch failed', 'They may have been saved all the same.'],
  [502, 'unavailable', 'PUT /v1/projects answered 502', 'They may have been saved all the same.'],
  [
    504,
    'too_slow',
    'Acme did not answer in time. Try again.',
    'Acme did not answer in time. They may have been saved all the same.',
  ],
])('does not call %i %s a refusal', (status, code, told, words) => {
  expect(saveRefusal(new ServiceRuntimeError({ status, code, message: told }), [], 0)).toMatchObject({
    title: 'There was no answer',
    message: `${words} Your entries are kept: try again.`,
  })
})
