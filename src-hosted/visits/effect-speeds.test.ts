import { expect, it } from 'vitest'
import { createEffectSpeeds } from './effect-speeds.ts'

const isShortAfter = (...times: readonly number[]): boolean => {
  const speeds = createEffectSpeeds()
  for (const ms of times) speeds.note('version', 'charge', ms)
  return speeds.isShort('version', 'charge')
}

it('does not know how long an effect takes that was not performed here', () => {
  expect(isShortAfter()).toBe(false)
})

it('calls an effect short after one short attempt, though its process took long to start', () => {
  expect(isShortAfter(20)).toBe(true)
  expect(isShortAfter(400)).toBe(false)
  expect(isShortAfter(400, 20)).toBe(true)
})

it('does not mind single attempts that the machine delayed', () => {
  expect(isShortAfter(20, 2_000, 20, 900, 20)).toBe(true)
})

it('calls an effect long when most of its last attempts were', () => {
  expect(isShortAfter(20, 20, 20, 2_000, 2_000)).toBe(true)
  expect(isShortAfter(20, 20, 20, 2_000, 2_000, 2_000)).toBe(false)
})
