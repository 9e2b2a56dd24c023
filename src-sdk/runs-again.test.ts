import { expect, it } from 'vitest'
import type { ExecutionSummary } from './contract-types.ts'
import { readRunsAgain } from './runs-again.ts'

const serviceWith = (runs: Readonly<Record<string, string>>) => {
  const seen: (readonly string[])[] = []
  return {
    seen,
    list: async ({ againOf }: { readonly againOf?: string | readonly string[] | undefined }) => {
      seen.push(againOf as readonly string[])
      const items = Object.entries(runs).map(([id, of]) => ({ id, againOf: of }) as ExecutionSummary)
      return { items: items.filter((run) => againOf?.includes(run.againOf!)), nextCursor: null }
    },
  }
}

const idsOf = async (...[list, ids]: Parameters<typeof readRunsAgain>) =>
  Object.fromEntries(
    Object.entries(await readRunsAgain(list, ids)).map(([id, runs]) => [id, runs.map((run) => run.id)]),
  )

it('runs of an Execution are found with the runs of these, the newest first', async () => {
  const { list, seen } = serviceWith({ b: 'a', c: 'b', d: 'a', f: 'e', y: 'x' })
  expect(await idsOf(list, ['a', 'c', 'e'])).toEqual({ a: ['d', 'c', 'b'], e: ['f'] })
  expect(seen).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd', 'f'],
  ])
  expect(await idsOf(list, ['a', 'b'])).toEqual({ a: ['d', 'c', 'b'], b: ['c'] })
  seen.length = 0
  expect([await idsOf(list, ['z']), await idsOf(list, [])]).toEqual([{}, {}])
  expect(seen).toEqual([['z']])
  seen.length = 0
  const many = Array.from({ length: 101 }, (_, n) => (n === 100 ? 'e' : String(n)))
  expect(await idsOf(list, many)).toEqual({ e: ['f'] })
  expect(seen.map(({ length }) => length)).toEqual([100, 1, 1])
  // Each of 40 runs was run again: the newest is found.
  const chain = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`r${n + 101}`, `r${n + 100}`]))
  const { r100: found } = await idsOf(serviceWith(chain).list, ['r100'])
  expect([found?.length, found?.[0]]).toEqual([40, 'r140'])
})

it('a service that answers with a circle is not asked for ever', async () => {
  expect(await idsOf(serviceWith({ a: 'b', b: 'a' }).list, ['a'])).toEqual({ a: ['b', 'a'] })
})

it('many runs of one Execution do not hide those of others', async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`r${999 - n}`, 'a']))
  const runs = Object.entries({ ...many, r100: 'b', r101: 'c' }).map(([id, againOf]) => ({ id, againOf }))
  const list = async ({
    againOf = [],
    limit = 0,
  }: {
    readonly againOf?: string | readonly string[] | undefined
    readonly limit?: number | undefined
  }) => {
    const all = runs.filter((run) => againOf.includes(run.againOf)) as unknown as readonly ExecutionSummary[]
    return { items: all.slice(0, limit), nextCursor: all.length > limit ? 'more' : null }
  }
  const { a, b, c } = await idsOf(list, ['a', 'b', 'c'])
  expect([a?.[0], a?.length, b, c]).toEqual(['r999', 200, ['r100'], ['r101']])
})
