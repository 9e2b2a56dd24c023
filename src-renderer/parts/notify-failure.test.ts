import { expect, it, onTestFinished } from 'vitest'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { failureOf } from '../api/failures.ts'
import { EarlierAccessError } from '../api/other-access.ts'
import { showNotices } from '../ui/toasts.tsx'
import { notifyBulkFailure, notifyFailure } from './notify-failure.ts'

it('tells nobody what came of something once the connection has got another access', () => {
  const told: string[] = []
  onTestFinished(showNotices({ add: ({ title }) => void told.push(title), closeOf: () => {} }))
  const place = { id: 'acme', name: 'Acme' }
  const tell = (cause: Error) => {
    const failure = failureOf(new ServiceRuntimeError({ status: 0, code: 'network_error', message: 'why', cause }))
    notifyFailure(failure, 'The workspace was not renamed', 'Look at its name.', place)
    notifyBulkFailure(failure, 'Nothing was run again', true, place)
  }
  tell(new EarlierAccessError('This connection has got another access since.'))
  expect(told).toEqual([])
  tell(new TypeError('fetch failed'))
  expect(told).toEqual(['There was no answer', 'There was no answer'])
})
