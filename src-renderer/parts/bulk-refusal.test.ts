import { expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { failureOf } from '../api/failures.ts'
import { bulkRefusal } from './bulk-refusal.ts'

const refused = (isSent: boolean, status: number, code: string, message = 'why') =>
  bulkRefusal('Nothing was run again', failureOf(new ServiceRuntimeError({ status, code, message })), isSent)

it('says that a bulk may be under way if there was no answer to its start', () => {
  expect(refused(true, 0, 'network_error')).toEqual({
    title: 'There was no answer',
    detail: 'It may be under way all the same: look at the Executions before you try again.',
  })
  expect(refused(true, 504, 'unavailable', 'POST /v1/bulk answered 504')).toEqual(refused(true, 0, 'network_error'))
  expect(refused(true, 504, 'too_slow', 'It took too long.').detail).toMatch(/^It took too long\. It may be under way/)
})

it('says that nothing was done if the service refused it, or could not be asked for the count', () => {
  expect(refused(true, 429, 'rate_limited')).toEqual({ title: 'Nothing was run again', detail: 'why' })
  expect(refused(true, 404, 'not_found').detail).toBe('This server has no bulk actions')
  expect(refused(false, 0, 'network_error')).toEqual({
    title: 'Nothing was run again',
    detail: 'There was no answer. Try again.',
  })
})
