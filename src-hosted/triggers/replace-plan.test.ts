import { describe, expect, it } from 'vitest'
import type { NewTriggers } from '../../src-runtime/contract/trigger-models.ts'
import type { ScheduleTrigger, TriggerRecord, WebhookTrigger } from '../store/tenancy.ts'
import { checkNewTriggers } from './check-new-triggers.ts'
import { planReplacement, type MakeTrigger } from './replace-plan.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const BEFORE = NOW - 86_400_000
const OLD = `whsec_${'b2xk'.repeat(8)}`

const counting = (): MakeTrigger => {
  let made = 0
  return {
    newId: () => `trg_new${++made}`,
    newPublicId: () => `public${++made}`,
    newSecret: () => `whsec_new${++made}`,
    sealSecret: (id, secret) => `${id}:${secret}`,
    openSecret: (id, sealed) => sealed.slice(id.length + 1),
  }
}

const webhook: WebhookTrigger = {
  id: 'trg_hook',
  projectId: 'prj_1',
  programId: 'orders',
  enabled: true,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  type: 'webhook',
  publicId: 'kept',
  secret: `trg_hook:${OLD}`,
  lastFiredAt: BEFORE + 5,
  lastExecutionId: 'exe_1',
}
const schedule: ScheduleTrigger = {
  id: 'trg_time',
  projectId: 'prj_1',
  programId: 'report',
  enabled: true,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  type: 'schedule',
  cron: '0 * * * *',
  timezone: 'UTC',
  input: '{"a":1}',
  nextFireAt: NOW - 60_000,
}

const plan = async (body: NewTriggers, current: readonly TriggerRecord[] = [webhook, schedule], now = NOW) => {
  const firstTimes = await checkNewTriggers(body, NOW)
  return planReplacement('prj_1', body, firstTimes, current, now, counting())
}

describe('replacing Triggers', () => {
  it('takes the signing secret that the sender made, and does not show it', async () => {
    const item = { programId: 'orders', type: 'webhook' } as const
    const kept = await plan([{ ...item, id: 'trg_hook', secret: OLD }])
    expect([kept.items, kept.shown.size]).toEqual([[webhook], 0])
    const given = `whsec_${'c2VuZGVy'.repeat(4)}`
    const { items, shown } = await plan([
      { ...item, id: 'trg_hook', secret: given },
      { ...item, secret: given },
    ])
    expect(items).toMatchObject([
      { secret: `trg_hook:${given}`, updatedAt: NOW },
      { id: 'trg_new1', secret: `trg_new1:${given}` },
    ])
    expect(shown.size).toBe(0)
  })

  it('makes new ones, each with what belongs to its type', async () => {
    const { items, shown } = await plan(
      [
        { programId: 'orders', type: 'webhook', name: 'shop', secret: 'generate' },
        { programId: 'report', type: 'schedule', cron: '0 3 * * *', timezone: 'Europe/Berlin', input: null },
        { programId: 'report', type: 'schedule', cron: '0 3 * * *', enabled: false },
      ],
      [],
    )
    const common = { projectId: 'prj_1', createdAt: NOW, updatedAt: NOW }
    expect(items).toEqual([
      {
        ...common,
        id: 'trg_new1',
        programId: 'orders',
        name: 'shop',
        enabled: true,
        type: 'webhook',
        publicId: 'public3',
        secret: 'trg_new1:whsec_new2',
      },
      {
        ...common,
        id: 'trg_new4',
        programId: 'report',
        enabled: true,
        type: 'schedule',
        cron: '0 3 * * *',
        timezone: 'Europe/Berlin',
        input: 'null',
        nextFireAt: Date.parse('2026-11-23T02:00:00Z'),
      },
      {
        ...common,
        id: 'trg_new5',
        programId: 'report',
        enabled: false,
        type: 'schedule',
        cron: '0 3 * * *',
        timezone: 'UTC',
      },
    ])
    expect([...shown]).toEqual([['trg_new1', 'whsec_new2']])
  })

  it('leaves one that is sent as it was exactly as it is, also the times that it missed', async () => {
    const { items, shown } = await plan([
      { id: 'trg_hook', programId: 'orders', type: 'webhook' },
      { id: 'trg_time', programId: 'report', type: 'schedule', cron: '0 * * * *', input: { a: 1 } },
    ])
    expect(items[0]).toBe(webhook)
    expect(items[1]).toBe(schedule)
    expect(shown.size).toBe(0)
  })

  it('keeps the address and what firing wrote when the rest changes', async () => {
    const [changed] = (await plan([{ id: 'trg_hook', programId: 'other', type: 'webhook', enabled: false }])).items
    expect(changed).toEqual({ ...webhook, programId: 'other', enabled: false, updatedAt: NOW })
  })

  it('removes a signing secret, or makes another one, only when it is told to', async () => {
    const item = { id: 'trg_hook', programId: 'orders', type: 'webhook' } as const
    expect((await plan([{ ...item, secret: null }])).items[0]).not.toHaveProperty('secret')
    const made = await plan([{ ...item, secret: 'generate' }])
    expect(made.items[0]).toMatchObject({ secret: 'trg_hook:whsec_new1', updatedAt: NOW })
    expect([...made.shown]).toEqual([['trg_hook', 'whsec_new1']])
  })

  it('begins anew with the times of a schedule when they change, or when it is enabled again', async () => {
    const item = { id: 'trg_time', programId: 'report', type: 'schedule', cron: '0 * * * *', input: { a: 1 } } as const
    const next = async (body: NewTriggers, current?: readonly TriggerRecord[]) =>
      ((await plan(body, current)).items[0] as ScheduleTrigger).nextFireAt
    expect(await next([{ ...item, cron: '30 * * * *' }])).toBe(Date.parse('2026-11-22T12:30:00Z'))
    expect(await next([{ ...item, cron: '0 14 * * *', timezone: 'Europe/Berlin' }])).toBe(
      Date.parse('2026-11-22T13:00:00Z'),
    )
    expect(await next([{ ...item, timezone: 'Europe/Berlin' }])).toBe(Date.parse('2026-11-22T13:00:00Z'))
    expect(await next([{ ...item, enabled: false }])).toBeUndefined()
    const { nextFireAt: _, ...stopped } = { ...schedule, enabled: false }
    expect(await next([item], [stopped])).toBe(Date.parse('2026-11-22T13:00:00Z'))
  })

  it('finds the next time again where it was found by a clock that was set back since', async () => {
    const item = { id: 'trg_time', programId: 'report', type: 'schedule', cron: '0 * * * *', input: { a: 2 } } as const
    const { items } = await plan([item], [{ ...schedule, nextFireAt: NOW + 86_400_000 }])
    expect(items).toEqual([expect.objectContaining({ updatedAt: NOW, nextFireAt: Date.parse('2026-11-22T13:00:00Z') })])
  })

  it('leaves out a first time that passed while the rest of the list was checked', async () => {
    const { items } = await plan([{ programId: 'report', type: 'schedule', cron: '0 * * * *' }], [], NOW + 3_600_000)
    expect(items).toEqual([expect.objectContaining({ nextFireAt: Date.parse('2026-11-22T14:00:00Z') })])
  })

  it('lets other work run while many schedules are checked', async () => {
    let isChecked = false
    let ran = 0
    const other = (): void => {
      ran += 1
      if (!isChecked) setImmediate(other)
    }
    setImmediate(other)
    const list = Array.from({ length: 300 }, (_, index) => ({
      programId: 'report',
      type: 'schedule' as const,
      cron: `${index % 60} ${index % 24} ${1 + (index % 28)} * *`,
      timezone: 'Europe/Berlin',
    }))
    const times = await checkNewTriggers(list, NOW)
    isChecked = true
    expect(times.size).toBe(list.length)
    expect(ran).toBeGreaterThan(1)
  })

  it('follows the order of the list, and drops what is not in it', async () => {
    const { items } = await plan({
      triggers: [
        { id: 'trg_time', programId: 'report', type: 'schedule', cron: '0 * * * *' },
        { programId: 'orders', type: 'webhook' },
      ],
    })
    expect(items.map(({ id }) => id)).toEqual(['trg_time', 'trg_new1'])
  })

  it('refuses ids that are not there', async () => {
    await expect(plan([{ id: 'trg_other', programId: 'p', type: 'webhook' }])).rejects.toThrow(
      expect.objectContaining({ code: 'trigger_not_found' }),
    )
  })

  it('refuses another type than before, naming the item', async () => {
    const list = [
      { programId: 'p', type: 'webhook' },
      { id: 'trg_time', programId: 'p', type: 'webhook' },
    ] as const
    await expect(plan([...list])).rejects.toThrow('body/1/type was schedule before')
    await expect(plan({ triggers: [...list] })).rejects.toThrow('body/triggers/1/type was schedule before')
  })
})

describe('a list that cannot be', () => {
  it.each<[NewTriggers, string]>([
    [[{ programId: 'p', type: 'webhook', name: 'a\0' }], 'body/0/name must not have control characters in it'],
    [[{ programId: 'p', type: 'webhook', name: '\ud800' }], 'body/0/name must be well-formed Unicode'],
    [[{ programId: 'p', type: 'schedule' }], 'body/0/cron is needed'],
    [[{ programId: 'p', type: 'schedule', cron: 'x' }], 'body/0/cron "x" cannot be read'],
    [
      { triggers: [{ programId: 'p', type: 'schedule', cron: '0 0 30 2 *' }] },
      'body/triggers/0/cron "0 0 30 2 *" never fires',
    ],
    [
      [{ programId: 'p', type: 'schedule', cron: '* * * * *', timezone: 'Moon' }],
      'body/0/timezone "Moon" is not an IANA',
    ],
    [[{ programId: 'p', type: 'schedule', cron: '* * * * *', secret: null }], 'body/0/secret belongs to a webhook'],
    [[{ programId: 'p', type: 'webhook', secret: 'whsec_short' }], 'body/0/secret must be "whsec_" and 24 to 64 bytes'],
    [[{ programId: 'p', type: 'webhook', cron: '* * * * *' }], 'body/0/cron belongs to a schedule'],
    [[{ programId: 'p', type: 'webhook', input: 1 }], 'body/0/input belongs to a schedule'],
    [
      [
        { id: 'trg_hook', programId: 'p', type: 'webhook' },
        { id: 'trg_hook', programId: 'p', type: 'webhook' },
      ],
      'body/1/id is there twice',
    ],
  ])('%j is refused', async (body, message) => {
    await expect(plan(body)).rejects.toThrow(expect.objectContaining({ code: 'invalid_request' }))
    await expect(plan(body)).rejects.toThrow(message)
  })
})
