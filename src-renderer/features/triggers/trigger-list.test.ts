import { describe, expect, it } from 'vitest'
import type { Trigger } from '#sdk/index.ts'
import { changesBetween, keptItem, listWith, listWithout, withoutSecrets } from './trigger-list.ts'

const AT = '2026-11-20T10:00:00.000Z'
const common = { projectId: 'prj_1', enabled: true, createdAt: AT, updatedAt: AT }
const webhook: Trigger = {
  ...common,
  id: 'trg_1',
  programId: 'orders',
  type: 'webhook',
  name: 'hook',
  publicId: 'abc',
  url: 'https://hooks.test/abc',
  signed: true,
}
const schedule: Trigger = {
  ...common,
  id: 'trg_2',
  programId: 'report',
  type: 'schedule',
  cron: '0 9 * * *',
  timezone: 'UTC',
  input: null,
  nextFireAt: AT,
}

describe('a list of Triggers that is replaced', () => {
  it('keeps what it does not change, with the input null and without one', () => {
    const hook = { id: 'trg_1', programId: 'orders', enabled: true, name: 'hook', type: 'webhook' }
    expect(keptItem(webhook)).toEqual(hook)
    expect(keptItem(schedule)).toEqual({
      id: 'trg_2',
      programId: 'report',
      enabled: true,
      type: 'schedule',
      cron: '0 9 * * *',
      timezone: 'UTC',
      input: null,
    })
    const { input: _input, ...without } = schedule
    expect(keptItem(without)).not.toHaveProperty('input')
    expect(listWithout([webhook, schedule], 'trg_2')).toEqual([hook])
  })

  it('has an item in its place, at the end when it is new, and anew when it is gone', () => {
    const off = { ...keptItem(webhook), enabled: false }
    expect(listWith([webhook, schedule], off)).toEqual([off, keptItem(schedule)])
    const made = { programId: 'orders', type: 'webhook' } as const
    expect(listWith([schedule], made)).toEqual([keptItem(schedule), made])
    const { id: _id, ...anew } = off
    expect(listWith([schedule], off)).toEqual([keptItem(schedule), anew])
  })

  it('signs anew what was signed and is gone', () => {
    const off = { ...keptItem(webhook), enabled: false }
    const { id: _id, ...anew } = off
    expect(listWith([schedule], off, webhook)).toEqual([keptItem(schedule), { ...anew, secret: 'generate' }])
    expect(listWith([schedule], off, { ...webhook, signed: false })).toEqual([keptItem(schedule), anew])
    expect(listWith([webhook], off, webhook)).toEqual([off])
  })

  it('is kept without secrets', () => {
    expect(withoutSecrets([{ ...webhook, secret: 'whsec_1' }])).toEqual([webhook])
  })
})

describe('what somebody else changed', () => {
  it('is listed by Trigger', () => {
    const after = [
      { ...webhook, enabled: false, programId: 'other', name: 'new name' },
      { ...webhook, id: 'trg_3' },
    ]
    expect(changesBetween([webhook, schedule], after).map(({ title, what }) => `${title} ${what}`)).toEqual([
      'trg_2 removed',
      'new name changed: name, Program, enabled',
      'hook added',
    ])
  })

  it('is the secret when nothing else differs, and not what firing writes', () => {
    expect(changesBetween([webhook], [{ ...webhook, updatedAt: '2026-11-21T10:00:00.000Z' }])[0]?.what).toBe(
      'changed: signing secret',
    )
    expect(changesBetween([schedule], [{ ...schedule, lastFiredAt: AT, lastError: 'no' }])).toEqual([])
  })
})
