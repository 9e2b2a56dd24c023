import { expect, it } from 'vitest'
import { createFirstTurns } from './first-turns.ts'

const withClock = () => {
  let at = 0
  const turns = createFirstTurns(() => at)
  return { ...turns, pass: (ms: number) => void (at += ms) }
}

it('knows whether the last turn of a version was short, and nothing of versions that never ran', () => {
  const { note, isInTime } = withClock()
  expect(isInTime('a')).toBeUndefined()
  note('a', 3)
  expect(isInTime('a')).toBe(true)
  note('a', 51)
  expect(isInTime('a')).toBe(false)
  expect(isInTime('b')).toBeUndefined()
})

it('lets one start try a version again whose turn was long, later after each that is long, too', () => {
  const { note, isInTime, pass } = withClock()
  note('a', Infinity)
  pass(999)
  expect(isInTime('a')).toBe(false)
  pass(1)
  expect([isInTime('a'), isInTime('a')]).toEqual([undefined, false])
  note('a', Infinity)
  pass(1_999)
  expect(isInTime('a')).toBe(false)
  pass(1)
  expect([isInTime('a'), isInTime('a')]).toEqual([undefined, false])
  note('a', 2)
  expect([isInTime('a'), isInTime('a')]).toEqual([true, true])
  note('a', Infinity)
  pass(1_000)
  expect(isInTime('a')).toBeUndefined()
})

it('counts turns that were long at the same time once', () => {
  const { note, isInTime, pass } = withClock()
  for (let count = 0; count < 24; count += 1) note('a', Infinity)
  pass(50)
  note('a', Infinity)
  pass(949)
  expect(isInTime('a')).toBe(false)
  pass(1)
  expect(isInTime('a')).toBeUndefined()
})

it('tries a version whose turns are always long every five minutes', () => {
  const { note, isInTime, pass } = withClock()
  for (let count = 0; count < 30; count += 1) {
    pass(300_000)
    note('a', Infinity)
  }
  pass(299_999)
  expect(isInTime('a')).toBe(false)
  pass(1)
  expect(isInTime('a')).toBeUndefined()
})

it('lets as many turns of a version run ahead as end in time one after the other', () => {
  const { note, begin, isInTime } = withClock()
  note('a', 20)
  const [end] = [begin('a'), begin('a')]
  expect([isInTime('a'), isInTime('b')]).toEqual([false, undefined])
  // One that was late is not the only one that still runs.
  note('a', Infinity)
  note('a', 20)
  expect(isInTime('a')).toBe(false)
  end()
  expect(isInTime('a')).toBe(true)
  note('a', 0.1)
  for (let count = 0; count < 400; count += 1) begin('a')
  expect(isInTime('a')).toBe(true)
  note('a', 20)
  expect(isInTime('a')).toBe(true)
  note('a', 20)
  expect(isInTime('a')).toBe(false)
})
