import { expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { mayHaveBeenSaved } from './save-refusal.ts'

it('takes a save as possibly done unless the service refused it', () => {
  const isPossible = (status: number, code: string) =>
    mayHaveBeenSaved(new ServiceRuntimeError({ status, code, message: code }))
  expect(isPossible(0, 'network_error')).toBe(true)
  expect(isPossible(502, 'bad_gateway')).toBe(true)
  expect(isPossible(412, 'precondition_failed')).toBe(false)
  expect(isPossible(400, 'invalid_request')).toBe(false)
})
