import { expect, it } from 'vitest'
import { createFaultPlan, ROLES } from './fault-plan.ts'
import { createRandom } from '../random.ts'

const faultsOf = (seed: number, rounds: number, isWhole: boolean) => {
  const next = createFaultPlan(createRandom(seed), isWhole)
  return Array.from({ length: rounds }, next).map((faults) =>
    faults.map((fault) => ('role' in fault ? `${fault.kind} ${fault.role}` : fault.kind)),
  )
}
const ONES = ROLES.flatMap((role) => [`kill ${role}`, `pause ${role}`])

it.each([1, 2, 3, 4, 5])(
  'brings all kinds of faults in 10 rounds, with two at once, whatever the seed (%i)',
  (seed) => {
    const rounds = faultsOf(seed, 10, true)
    expect(new Set(rounds.flat())).toEqual(new Set([...ONES, 'deploy', 'hurry', 'move', 'remove']))
    expect(rounds.flat()).toHaveLength(14)
    expect(rounds.filter(({ length }) => length === 2)).toHaveLength(4)
  },
)

it('brings each fault of one process in 5 rounds of the short form, and the same for the same seed', () => {
  const rounds = faultsOf(4, 5, false)
  expect(rounds.flat().toSorted()).toEqual(ONES.toSorted())
  expect(faultsOf(4, 5, false)).toEqual(rounds)
})
