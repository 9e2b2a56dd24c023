import { expect, it } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { fireRefusal } from './fire-refusal.ts'

const ADVICE = 'It may have fired all the same: look at its last firings before you try again.'

it.each([
  [0, 'network_error', 'fetch failed', 'There was no answer', ADVICE],
  [502, 'unavailable', 'POST /v1/fire answered 502', 'There was no answer', ADVICE],
  [
    504,
    'too_slow',
    'Acme did not answer in time. Try again.',
    'There was no answer',
    `Acme did not answer in time. ${ADVICE}`,
  ],
  [500, 'internal', 'Something broke.', 'The Trigger may have fired', `Something broke. ${ADVICE}`],
  [422, 'program_not_runnable', 'It cannot run.', 'Nothing was started', 'It cannot run.'],
])('says of %i %s what is known', (status, code, told, title, message) => {
  expect(fireRefusal(new ServiceRuntimeError({ status, code, message: told }))).toEqual({ title, message, code })
})
