import { describe, expect, it } from 'vitest'
import { amountText, money, priceUnit } from './usage-amounts.ts'

const HOUR_MS = 3_600_000

describe('amounts of usage', () => {
  it.each([
    ['executions', 1234567, '1,234,567'],
    ['computeMs', 418, '418 ms'],
    ['computeMs', 90_000, '1 min 30 s'],
    ['computeMs', 10 * HOUR_MS, '10 h'],
    ['computeMs', 1_234 * HOUR_MS + 59 * 60_000 + 59_999, '1,234 h 59 min'],
    ['storedBytes', 1536, '1.5 KiB'],
    ['storedBytes', 1024 ** 3, '1 GiB'],
    ['storedBytes', 0, '0 B'],
  ] as const)('of %s: %d', (metric, amount, text) => expect(amountText(metric, amount)).toBe(text))

  it.each([
    ['executions', 1_000, '1,000'],
    ['computeMs', HOUR_MS, 'hour'],
    ['computeMs', 60_000, 'minute'],
    ['computeMs', 10 * HOUR_MS, '10 h'],
    ['storedBytes', 1024 ** 3, 'GiB'],
    ['storedBytes', 10 * 1024 ** 3, '10 GiB'],
    ['storedBytes', 500 * 1024 ** 2, '500 MiB'],
  ] as const)('priced per %s: %d', (metric, per, text) => expect(priceUnit(metric, per)).toBe(text))
})

describe('money', () => {
  it('has the digits of its currency', () => {
    expect(money(123_456, 'EUR')).toBe('€1,234.56')
    expect(money(0, 'USD')).toBe('$0.00')
    expect(money(1_234, 'JPY')).toBe('¥1,234')
    expect(money(1_234, 'KWD').replace(/\s/, ' ')).toBe('KWD 1.234')
  })

  it('is still shown in something that is no currency', () => expect(money(1_234, 'credits')).toBe('1,234 credits'))
})
