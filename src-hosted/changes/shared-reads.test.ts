import { expect, it } from 'vitest'
import { createSharedReads } from './shared-reads.ts'

const rig = () => {
  const reads = createSharedReads<string>(3, 2)
  const begun: string[] = []
  const answers = new Map<string, PromiseWithResolvers<string>>()
  return {
    start: (workspaceId: string, key: string, left = new AbortController().signal): Promise<string> =>
      reads(
        { workspaceId, key },
        () => {
          begun.push(key)
          const answer = Promise.withResolvers<string>()
          answers.set(key, answer)
          return answer.promise
        },
        left,
      ),
    answerOf: (key: string) => answers.get(key)!,
    /** Reads that have begun by now. */
    begun: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return begun
    },
  }
}

it('leaves reads to other workspaces, and gives a place back also after a failure', async () => {
  const { start, begun, answerOf } = rig()
  const [one, , three] = [start('busy', 'a'), start('busy', 'b'), start('busy', 'c')]
  void start('quiet', 'd')
  expect(await begun()).toEqual(['a', 'b', 'd'])
  answerOf('a').reject(new Error('no database'))
  await expect(one).rejects.toThrow('no database')
  expect(await begun()).toEqual(['a', 'b', 'd', 'c'])
  answerOf('c').resolve('changes')
  expect(await three).toBe('changes')
})

it('shares a read among readers of one workspace that ask for the same meanwhile', async () => {
  const { start, begun, answerOf } = rig()
  const both = Promise.all([start('busy', 'a'), start('busy', 'a')])
  expect(await begun()).toEqual(['a'])
  answerOf('a').resolve('changes')
  expect(await both).toEqual(['changes', 'changes'])
  void start('busy', 'a')
  void start('quiet', 'a')
  expect(await begun()).toEqual(['a', 'a', 'a'])
})

it('calls a waiting read off once all its readers have left, and reads for one that comes then', async () => {
  const { start, begun, answerOf } = rig()
  void start('busy', 'a')
  void start('busy', 'b')
  const [first, second] = [new AbortController(), new AbortController()]
  const readers = [start('busy', 'c', first.signal), start('busy', 'c', second.signal)]
  const outcomes = Promise.allSettled(readers)
  first.abort()
  second.abort()
  const other = start('busy', 'c')
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  answerOf('a').resolve('changes')
  expect(await begun()).toEqual(['a', 'b', 'c'])
  answerOf('c').resolve('changes')
  expect(await other).toBe('changes')
})

it('goes on with a waiting read while one of its readers is there', async () => {
  const { start, begun, answerOf } = rig()
  void start('busy', 'a')
  void start('busy', 'b')
  const [first, second] = [new AbortController(), new AbortController()]
  void start('busy', 'c', first.signal)
  const stays = start('busy', 'c', second.signal)
  first.abort()
  await begun()
  answerOf('a').resolve('changes')
  expect(await begun()).toEqual(['a', 'b', 'c'])
  answerOf('c').resolve('changes')
  expect(await stays).toBe('changes')
})
