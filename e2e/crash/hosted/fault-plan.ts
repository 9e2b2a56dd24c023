// Which faults come in which round. Every kind comes once before any comes again, so a campaign of some rounds has them all.

import type { Random } from '../random.ts'

export const ROLES = ['api', 'ingress', 'worker', 'postgres', 'restate'] as const
export type Role = (typeof ROLES)[number]

export type Fault =
  | { readonly kind: 'kill' | 'pause'; readonly role: Role }
  /** A new release of workers takes over, and the old ones are stopped once their work is finished. */
  | { readonly kind: 'deploy' }
  /** The same, but the old ones are stopped at once. */
  | { readonly kind: 'hurry' }
  /** A worker is lost, and another one comes at another address. */
  | { readonly kind: 'move' }
  /** A workspace is removed while a process is killed. */
  | { readonly kind: 'remove' }

/** All kinds in a random order, then again in another one. */
const createBag = <Item>(items: readonly Item[], random: Random): (() => Item) => {
  let left: Item[] = []
  return () => {
    if (left.length === 0) left = [...items]
    return left.splice(random.below(left.length), 1)[0]!
  }
}

/** `isWhole`: with the faults that take long. Answers the faults of the next round, one or two at once. */
export const createFaultPlan = (random: Random, isWhole: boolean): (() => readonly Fault[]) => {
  const kinds = ['kill', 'pause'] as const
  const nextOne = createBag<Fault>(
    kinds.flatMap((kind) => ROLES.map((role) => ({ kind, role }))),
    random,
  )
  const one = () => [nextOne()]
  const two = () => [nextOne(), nextOne()]
  const long = (['deploy', 'hurry', 'move', 'remove'] as const).map((kind) => (): readonly Fault[] => [{ kind }])
  const nextRound = createBag(isWhole ? [one, one, two, two, two, two, ...long] : [two], random)
  return () => nextRound()()
}
