import { describe, expect, it } from 'vitest'
import { checkCadence, isTooLate, nextAfter, nextToFire, type Cadence } from './cron.ts'

const at = (text: string) => Date.parse(text)

const times = (cadence: Cadence, after: string, count: number): readonly string[] => {
  const found: string[] = []
  for (let last = at(after); found.length < count;) {
    last = nextAfter(cadence, last)!
    found.push(new Date(last).toISOString().slice(0, 19))
  }
  return found
}

describe('the times of a schedule', () => {
  it('follow minutes with five fields, and seconds with six', () => {
    expect(times({ cron: '*/15 9 * * MON-FRI', timezone: 'UTC' }, '2026-11-20T09:31:00.500Z', 2)).toEqual([
      '2026-11-20T09:45:00',
      '2026-11-23T09:00:00',
    ])
    expect(times({ cron: '  */20 * * * * *  ', timezone: 'UTC' }, '2026-11-22T00:00:00.000Z', 3)).toEqual([
      '2026-11-22T00:00:20',
      '2026-11-22T00:00:40',
      '2026-11-22T00:01:00',
    ])
  })

  it.each([
    ['America/New_York', '2026-11-22T14:00:00'],
    ['Asia/Kolkata', '2026-11-22T03:30:00'],
    ['Asia/Kathmandu', '2026-11-22T03:15:00'],
    ['Pacific/Kiritimati', '2026-11-22T19:00:00'],
    ['Pacific/Pago_Pago', '2026-11-22T20:00:00'],
  ])('are those of the clock in %s', (timezone, first) => {
    const from = first < '2026-11-22T19' ? '2026-11-22T00:00:00Z' : '2026-11-22T18:59:00Z'
    expect(times({ cron: '0 9 * * *', timezone }, from, 1)).toEqual([first])
  })

  it('come once a day when clocks go forward over them', () => {
    expect(times({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30:00',
      '2026-03-29T01:00:00',
      '2026-03-30T00:30:00',
    ])
  })

  it('come once a day when clocks go back over them, and evenly when they are intervals', () => {
    expect(times({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24T00:30:00',
      '2026-10-25T00:30:00',
      '2026-10-26T01:30:00',
    ])
    expect(times({ cron: '*/30 * * * *', timezone: 'Europe/Berlin' }, '2026-10-25T00:00:00Z', 4)).toEqual([
      '2026-10-25T00:30:00',
      '2026-10-25T01:00:00',
      '2026-10-25T01:30:00',
      '2026-10-25T02:00:00',
    ])
  })

  it('shift by half an hour where the zone does', () => {
    expect(times({ cron: '0 2 * * 0', timezone: 'Australia/Lord_Howe' }, '2026-09-30T00:00:00Z', 2)).toEqual([
      '2026-10-03T15:30:00',
      '2026-10-10T15:00:00',
    ])
  })
})

describe('a schedule that was missed', () => {
  const everyMinute = { cron: '* * * * *', timezone: 'UTC' }

  it('makes up each time of the last hour, in order', () => {
    const now = at('2026-11-22T12:30:30Z')
    expect(nextToFire(everyMinute, at('2026-11-22T12:00:00Z'), now)).toBe(at('2026-11-22T12:01:00Z'))
    expect(isTooLate(at('2026-11-22T11:31:00Z'), now)).toBe(false)
  })

  it('leaves out what is an hour old', () => {
    const now = at('2026-11-22T12:30:30Z')
    expect(isTooLate(at('2026-11-22T11:30:30Z'), now)).toBe(true)
    expect(nextToFire(everyMinute, at('2026-11-20T00:00:00Z'), now)).toBe(at('2026-11-22T11:31:00Z'))
  })

  it('goes on with what is to come', () => {
    const daily = { cron: '0 6 * * *', timezone: 'UTC' }
    expect(nextToFire(daily, at('2026-11-20T06:00:00Z'), at('2026-11-22T12:00:00Z'))).toBe(at('2026-11-23T06:00:00Z'))
  })
})

describe('a schedule that cannot be', () => {
  const now = at('2026-11-22T00:00:00Z')
  const faultOf = (cron: string, timezone = 'UTC') => checkCadence({ cron, timezone }, now).fault

  it.each([
    ['', 'it must have five or six fields'],
    ['@daily', 'it must have five or six fields'],
    ['2026-12-01T00:00:00', 'it must have five or six fields'],
    ['0 0 * * * * 2027', 'it must have five or six fields'],
    ['61 * * * *', 'Invalid value for minute: 61'],
    ['0 0 32 * *', 'Invalid value for day: 32'],
    ['0 0 0 * *', 'Invalid value for day: 0'],
    ['0 0 40W * *', 'Invalid value for day: 40'],
    ['0 0 1 13 *', 'Invalid value for month: 13'],
    ['* * * * MOO', 'cannot be read'],
    ['0 0 30 2 *', 'never fires'],
    [`${'0,'.repeat(100)}0 * * * *`, 'longer than 200 characters'],
  ])('%j is refused', (cron, reason) => {
    expect(faultOf(cron)).toContain(reason)
  })

  it.each(['Mars/Phobos', '', '+05:30', 'Europe/Berlin; drop'])('is refused in the zone %j', (timezone) => {
    expect(faultOf('* * * * *', timezone)).toContain('is not an IANA time zone')
  })

  it('is not one that is fine', () => {
    expect([faultOf('0 0 29 2 *'), faultOf('0 0 L * *', 'Europe/Berlin'), faultOf('* * * * *', 'EST5EDT')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
