import { expect, it } from 'vitest'
import { describeCancel } from './describe-cancel.ts'

it('describes the effect of a cancel on the current commands', () => {
  expect(describeCancel({ status: 'queued', waitingFor: [] })).toContain('none of its code will run')
  const parked = describeCancel({ status: 'waiting', waitingFor: [{ kind: 'event', name: 'a', since: '' }] })
  expect(parked).toContain('30 seconds')
  expect(parked).not.toContain('effects')
  expect(describeCancel({ status: 'waiting', waitingFor: [{ kind: 'effect', name: 'charge', attempt: 1 }] })).toContain(
    'Running effects are asked to stop',
  )
})
