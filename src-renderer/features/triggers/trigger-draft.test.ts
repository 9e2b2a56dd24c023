import { describe, expect, it } from 'vitest'
import { ServiceRuntimeError, type Trigger } from '#sdk/index.ts'
import { saveRefusal } from './save-refusal.ts'
import { draftOf, faultsOf, itemOf, newDraft } from './trigger-draft.ts'

const NOW = Date.parse('2026-11-20T10:00:00Z')

describe('a new Trigger', () => {
  it('needs a Program, and a schedule a cron expression', () => {
    expect(faultsOf(newDraft('webhook', ''), NOW)).toEqual({ programId: 'Choose a Program' })
    expect(Object.keys(faultsOf(newDraft('schedule', 'p'), NOW))).toEqual(['cron'])
    expect(faultsOf({ ...newDraft('schedule', 'p'), cron: '* * * * *' }, NOW)).toEqual({})
  })

  it('becomes an item with what was entered, and nothing of the other type', () => {
    const draft = { ...newDraft('webhook', 'p'), name: ' hook ', signed: true, cron: '* * * * *' }
    expect(itemOf(draft, '1')).toEqual({
      programId: 'p',
      enabled: true,
      name: 'hook',
      type: 'webhook',
      secret: 'generate',
    })
    const given = { ...draft, secret: ' whsec_1 ' }
    expect(itemOf(given, '')).toMatchObject({ secret: 'whsec_1' })
    expect(itemOf({ ...given, signed: false }, '')).not.toHaveProperty('secret')
    expect(itemOf({ ...given, signed: false }, '', 'trg_1')).toMatchObject({ id: 'trg_1', secret: 'whsec_1' })
    expect(faultsOf({ ...draft, secret: 'sk_1' }, NOW)).toEqual({ secret: 'It begins with whsec_' })
    expect(itemOf({ ...draft, type: 'schedule', name: ' ' }, '')).toEqual({
      programId: 'p',
      enabled: true,
      type: 'schedule',
      cron: '* * * * *',
      timezone: 'UTC',
    })
  })
})

it('an edited schedule keeps its id, and an input of null', () => {
  const trigger: Trigger = {
    id: 'trg_1',
    programId: 'p',
    projectId: 'prj_1',
    type: 'schedule',
    enabled: false,
    cron: '0 9 * * *',
    timezone: 'Europe/Berlin',
    input: null,
    createdAt: '',
    updatedAt: '',
  }
  const draft = draftOf(trigger)
  expect(draft.input).toBe('null')
  expect(itemOf(draft, 'null', 'trg_1')).toEqual({
    id: 'trg_1',
    programId: 'p',
    enabled: false,
    type: 'schedule',
    cron: '0 9 * * *',
    timezone: 'Europe/Berlin',
    input: null,
  })
})

describe('a refusal of the service', () => {
  const titles = ['first', 'second']
  const refused = (status: number, code: string, message: string, edited = 1) =>
    saveRefusal(new ServiceRuntimeError({ status, code, message }), titles, edited)

  it('is shown at the field of the edited item', () => {
    const { field, message } = refused(400, 'invalid_request', 'body/triggers/1/cron "x" cannot be read: no')
    expect([field, message]).toEqual(['cron', 'The expression "x" cannot be read: no'])
    expect(refused(404, 'program_not_found', 'There is no Program "p".').field).toBe('programId')
  })

  it('names another item', () => {
    const { field, message } = refused(400, 'invalid_request', 'body/triggers/0/timezone "x" is not an IANA time zone')
    expect([field, message]).toEqual([undefined, 'first: timezone "x" is not an IANA time zone'])
    expect(refused(400, 'invalid_request', 'body/triggers/1/id is there twice').message).toBe(
      'second: id is there twice',
    )
  })

  it('is a conflict when somebody else replaced the list', () => {
    expect(refused(412, 'precondition_failed', 'The Triggers were replaced.').isConflict).toBe(true)
    expect(refused(429, 'rate_limited', 'Wait.')).toMatchObject({ isConflict: false, message: 'Wait.' })
  })
})
