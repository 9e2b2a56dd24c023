import { expect, test } from 'vitest'
import { createBusyOwners } from './busy-owners.ts'

const code = (executionId: string, tenant?: string, programId = 'program') => ({
  ...{ executionId, programId },
  ...(tenant !== undefined && { tenant }),
})

const createTest = () => {
  let now = 0
  let asked = 0
  const owners = createBusyOwners(() => now)
  return {
    owners,
    after: (ms: number) => (now += ms),
    isBusy: (tenant?: string, programId?: string) =>
      owners.runsApart(code(`exe_new_${(asked += 1)}`, tenant, programId), true),
  }
}

test('an owner whose turns take more than its share while others wait is busy, until it was quiet for a while', () => {
  const { owners, after, isBusy } = createTest()
  for (let turn = 1; turn <= 5; turn += 1) {
    expect(isBusy('noisy')).toBe(false)
    after(140)
    owners.noteHeld(code('exe_1', 'noisy'), 140, turn > 4)
  }
  expect([isBusy('noisy'), isBusy('quiet')]).toEqual([true, false])
  after(7_000)
  expect(isBusy('noisy')).toBe(false)
})

test('an owner is not busy while nobody waits for it, nor where its turns are rare', () => {
  const { owners, after, isBusy } = createTest()
  for (let turn = 0; turn < 100; turn += 1) {
    after(140)
    owners.noteHeld(code('exe_1', 'lone'), 140, false)
    if (turn % 10 === 0) owners.noteHeld(code('exe_2', 'seldom'), 100, true)
  }
  expect([isBusy('lone'), isBusy('seldom')]).toEqual([false, false])
  owners.noteHeld(code('exe_1', 'lone'), 140, true)
  expect(isBusy('lone')).toBe(true)
  after(15_000)
  expect(isBusy('lone')).toBe(false)
})

test('one that stays busy where it runs apart does not come back', () => {
  const { owners, after, isBusy } = createTest()
  owners.noteHeld(code('exe_1', 'noisy'), Number.POSITIVE_INFINITY, true)
  for (let turn = 0; turn < 1_000; turn += 1) {
    after(140)
    owners.noteHeld(code('exe_1', 'noisy'), 140, false)
  }
  expect(isBusy('noisy')).toBe(true)
})

test('new Executions of a busy owner run apart until they end, and of the others those that take the time', () => {
  const { owners, after } = createTest()
  owners.noteHeld(code('exe_long', 'noisy'), 1_000, true)
  const runsApart = (...ids: string[]) => ids.map((id) => owners.runsApart(code(id, 'noisy'), id === 'exe_new'))
  expect(runsApart('exe_long', 'exe_short', 'exe_new')).toEqual([true, false, true])
  after(20_000)
  expect(runsApart('exe_long', 'exe_short', 'exe_new')).toEqual([true, false, true])
  owners.forget('exe_new')
  expect(runsApart('exe_long', 'exe_short', 'exe_new')).toEqual([true, false, false])
  owners.forgetAll()
  expect(runsApart('exe_long', 'exe_short', 'exe_new')).toEqual([false, false, false])
})

test('without tenants, each Program is an owner', () => {
  const { owners, isBusy } = createTest()
  owners.noteHeld(code('exe_1', undefined, 'noisy'), 1_000, true)
  expect([isBusy(undefined, 'noisy'), isBusy(undefined, 'other')]).toEqual([true, false])
})

test('the number of entries is limited', () => {
  const { owners } = createTest()
  for (let n = 0; n < 20_000; n += 1) owners.noteHeld(code(`exe_${n}`, `tenant_${n}`), 1_000, true)
  const runsApart = (n: number, isNew: boolean) => owners.runsApart(code(`exe_${n}`, `tenant_${n}`), isNew)
  expect([runsApart(0, true), runsApart(19_999, false)]).toEqual([false, true])
})
