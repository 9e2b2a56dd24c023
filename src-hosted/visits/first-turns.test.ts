import { expect, it } from 'vitest'
import { createFirstTurns } from './first-turns.ts'

const withClock = () => {
  let at = 0
  const turns = createFirstTurns(() => at)
  return { ...turns, pass: (ms: number) => void (at += ms) }
}

it('knows whether the last turn of a version was short, and nothing of versions that never ran', () => {
  const { note, areShort } = withClock()
  expect(areShort('a')).toBeUndefined()
  note('a', 3)
  expect(areShort('a')).toBe(true)
  note('a', 51)
  expect(areShort('a')).toBe(false)
  expect(areShort('b')).toBeUndefined()
})

it('lets one start try a version again whose turn was long, later after each that is long, too', () => {
  const { note, areShort, pass } = withClock()
  note('a', Infinity)
  pass(999)
  expect(areShort('a')).toBe(false)
  pass(1)
  expect([areShort('a'), areShort('a')]).toEqual([undefined, false])
  note('a', Infinity)
  pass(1_999)
  expect(areShort('a')).toBe(false)
  pass(1)
  expect([areShort('a'), areShort('a')]).toEqual([undefined, false])
  note('a', 2)
  expect([areShort('a'), areShort('a')]).toEqual([true, true])
  note('a', Infinity)
  pass(1_000)
  expect(areShort('a')).toBeUndefined()
})

it('counts turns that were long at the same time once', () => {
  const { note, areShort, pass } = withClock()
  for (let count = 0; count < 24; count += 1) note('a', Infinity)
  pass(50)
  note('a', Infinity)
  pass(949)
  expect(areShort('a')).toBe(false)
  pass(1)
  expect(areShort('a')).toBeUndefined()
})

it('tries a version whose turns are always long every five minutes', () => {
  const { note, areShort, pass } = withClock()
  for (let count = 0; count < 30; count += 1) {
    pass(300_000)
    note('a', Infinity)
  }
  pass(299_999)
  expect(areShort('a')).toBe(false)
  pass(1)
  expect(areShort('a')).toBeUndefined()
})
