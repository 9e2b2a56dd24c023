import { describe, expect, it } from 'vitest'
import { wordsOfCron } from './cadence-words.ts'
import { cadenceFault, nextTimes, timeZones, zonedTime } from './cadence.ts'

const NOW = Date.parse('2026-03-27T12:00:00Z')

describe('the next times of a schedule', () => {
  it('come once a day in its zone, over the change of clocks', () => {
    const times = nextTimes({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, NOW, 4)
    expect(times.map((at) => zonedTime(at, 'Europe/Berlin'))).toEqual([
      'Sat, 28 Mar 2026, 02:30:00 GMT+1',
      // 02:30 does not exist on that day.
      'Sun, 29 Mar 2026, 03:00:00 GMT+2',
      'Mon, 30 Mar 2026, 02:30:00 GMT+2',
      'Tue, 31 Mar 2026, 02:30:00 GMT+2',
    ])
    expect(zonedTime(times[0]!, 'UTC')).toBe('Sat, 28 Mar 2026, 01:30:00 UTC')
  })

  it('come each second with six fields', () => {
    expect(nextTimes({ cron: ' * * * * * * ', timezone: 'UTC' }, NOW, 2)).toEqual([NOW + 1_000, NOW + 2_000])
  })
})

it.each([
  ['', 'Enter a cron expression'],
  ['@daily', 'it has 1'],
  ['0 0 * * * * 2027', 'it has 7'],
  ['61 * * * *', 'Invalid value for minute: 61'],
  ['0 0 32 * *', 'Invalid value for day: 32'],
  ['0 0 40W * *', 'Invalid value for day: 40'],
  ['0 0 1 13 *', 'Invalid value for month: 13'],
  ['0 0 30 2 *', 'It never fires'],
  [`${'0,'.repeat(100)}0 * * * *`, 'At most 200 characters'],
])('the schedule %j has a fault', (cron, reason) => {
  expect(cadenceFault({ cron, timezone: 'UTC' }, NOW)).toContain(reason)
})

it('finds no fault where there is none', () => {
  expect(cadenceFault({ cron: '0 9 L * *', timezone: 'America/New_York' }, NOW)).toBeUndefined()
})

it('offers UTC, the own zone and the chosen one first, each once', () => {
  const zones = timeZones('Mars/Base', 'Europe/Berlin')
  expect(zones.slice(0, 3)).toEqual(['UTC', 'Europe/Berlin', 'Mars/Base'])
  expect(new Set(zones).size).toBe(zones.length)
})

describe('a schedule in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['* * * * * *', 'Every second'],
    ['*/20 * * * * *', 'Every 20 seconds'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['5 * * * *', 'Every hour at 5 min'],
    ['0 */6 * * *', 'Every 6 hours'],
    ['30 */6 * * *', 'Every 6 hours at 30 min'],
    ['0 9 * * *', 'At 09:00 every day'],
    ['30 6,18 * * *', 'At 06:30 and 18:30 every day'],
    ['0 9 * * MON-FRI', 'At 09:00, Monday to Friday'],
    ['0 9 * * 1-5', 'At 09:00, Monday to Friday'],
    ['0 0 9 * * sat,7', 'At 09:00, on Saturday and Sunday'],
    ['*/15 * * * 1', 'Every 15 minutes, on Monday'],
    ['0 0 1 * *', 'At 00:00, on day 1 of each month'],
    ['0 0 1,15 * *', 'At 00:00, on days 1 and 15 of each month'],
    ['0 0 L * *', 'At 00:00, on the last day of each month'],
  ])('%s', (cron, words) => expect(wordsOfCron(cron)).toBe(words))

  it.each(['*/7 * * * *', '0 9 1 * 1', '0 0 */2 * *', '0 9 * 1 *', '0 9 * * 1#2', '* 9 * * *', '61 * * * *', '0', ''])(
    '%s has no exact words',
    (cron) => expect(wordsOfCron(cron)).toBeUndefined(),
  )
})
