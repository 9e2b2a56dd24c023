import { expect, it } from 'vitest'
import { createConnectionTurns } from './connection-turns.ts'

it('lets workspaces take turns, whoever asked for more before', async () => {
  const turns = createConnectionTurns({ connections: 1, share: 1, limitMs: 1_000 })
  const order: string[] = []
  const use = async (workspace: string): Promise<void> => {
    const give = await turns.take(workspace)
    order.push(workspace)
    await Promise.resolve()
    give()
  }
  const all = ['full', 'full', 'full', 'full', 'quiet', 'full'].map((workspace) => use(workspace))
  expect(turns.waiting).toBe(5)
  await Promise.all(all)
  expect(order).toEqual(['full', 'full', 'quiet', 'full', 'full', 'full'])
  expect(turns.waiting).toBe(0)
})

it('rejects when no connection is free in time, and loses none', async () => {
  const turns = createConnectionTurns({ connections: 1, share: 1, limitMs: 10 })
  const give = await turns.take('one')
  await expect(turns.take('one')).rejects.toThrow('no connection was free within 10 ms')
  give()
  const again = await turns.take('other')
  again()
})

it('keeps connections free of a workspace that has its share', async () => {
  const turns = createConnectionTurns({ connections: 4, share: 2, limitMs: 1_000 })
  const gives = [await turns.take('full'), await turns.take('full')]
  const third = turns.take('full')
  expect(turns.waiting).toBe(1)
  gives.push(await turns.take('quiet'))
  gives[0]!()
  gives.push(await third)
  expect(turns.waiting).toBe(0)
  for (const give of gives.slice(1)) give()
})
