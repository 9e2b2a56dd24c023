import { DatabaseError } from 'pg'
import { expect, it, vi } from 'vitest'
import { inBatches, readTogether } from './in-batches.ts'

/** By then, nothing is asked, nor about to be. */
const idle = async (): Promise<void> => {
  for (let round = 0; round < 3; round += 1) await new Promise(setImmediate)
}

type Batch = { readonly questions: readonly number[]; readonly answered: PromiseWithResolvers<readonly string[]> }

const rig = (most = 100) => {
  const batches: Batch[] = []
  const ask = inBatches<number, string>(most, (questions) => {
    const answered = Promise.withResolvers<readonly string[]>()
    batches.push({ questions, answered })
    return answered.promise
  })
  const begun = (count: number) => vi.waitUntil(() => batches.length === count, { interval: 1 })
  const answer = ({ questions, answered }: Batch) => answered.resolve(questions.map((one) => `answer ${one}`))
  return { batches, ask, begun, answer }
}

it('asks at once what is asked at the same moment, and what comes meanwhile after it', async () => {
  const { batches, ask, begun, answer } = rig()
  const first = [ask(1), ask(2)]
  await begun(1)
  const second = [ask(3), ask(4), ask(5)]
  answer(batches[0]!)
  expect(await Promise.all(first)).toEqual(['answer 1', 'answer 2'])
  await begun(2)
  answer(batches[1]!)
  expect(await Promise.all(second)).toEqual(['answer 3', 'answer 4', 'answer 5'])
  await idle()
  const last = ask(6)
  await begun(3)
  answer(batches[2]!)
  expect(await last).toBe('answer 6')
  expect(batches.map(({ questions }) => questions)).toEqual([[1, 2], [3, 4, 5], [6]])
})

it('puts no more into a batch than it may have', async () => {
  const { batches, ask, begun, answer } = rig(2)
  const all = [1, 2, 3].map(ask)
  await begun(1)
  answer(batches[0]!)
  await begun(2)
  answer(batches[1]!)
  expect(await Promise.all(all)).toEqual(['answer 1', 'answer 2', 'answer 3'])
  expect(batches.map(({ questions }) => questions)).toEqual([[1, 2], [3]])
})

it('puts no more into a batch than the length that all of it may have, but for one that is longer', async () => {
  const batches: (readonly string[])[] = []
  const run = (texts: readonly string[]) => {
    batches.push(texts)
    return Promise.resolve(texts)
  }
  const ask = inBatches<string, string>(3, run, undefined, { most: 4, of: (text) => text.length })
  const texts = ['aa', 'bb', 'c', 'dddddd', 'e', 'f', 'g', 'h']
  expect(await Promise.all(texts.map(ask))).toEqual(texts)
  expect(batches).toEqual([['aa', 'bb'], ['c'], ['dddddd'], ['e', 'f', 'g'], ['h']])
})

it('does not wait for a batch that takes long', async () => {
  const { batches, ask, begun, answer } = rig()
  const slow = ask(1)
  await begun(1)
  const quick = ask(2)
  await begun(2)
  answer(batches[1]!)
  expect(await quick).toBe('answer 2')
  answer(batches[0]!)
  expect(await slow).toBe('answer 1')
  const last = ask(3)
  await begun(3)
  answer(batches[2]!)
  expect(await last).toBe('answer 3')
})

it('rejects all of a batch that fails, and asks the next one', async () => {
  const { batches, ask, begun, answer } = rig()
  const first = Promise.allSettled([ask(1), ask(2)])
  await begun(1)
  batches[0]!.answered.reject(new Error('no'))
  const failed = { status: 'rejected', reason: new Error('no') }
  expect(await first).toEqual([failed, failed])
  const last = ask(3)
  await begun(2)
  answer(batches[1]!)
  expect(await last).toBe('answer 3')
})

it.each([
  ['reads each alone if PostgreSQL refuses the read of all', 'ERROR', ['row 1', undefined, 'row 3']],
  ['reads nothing again if PostgreSQL does not say that it was at fault', 'FATAL', [undefined, undefined, undefined]],
])('%s', async (_, severity, found) => {
  const refusal = Object.assign(new DatabaseError('no', 0, 'error'), { severity })
  const read = async (names: readonly number[]) => {
    if (names.includes(2)) throw refusal
    return names.map((name) => ({ name, text: `row ${name}` }))
  }
  const ask = readTogether(10, ({ name }) => name, read)
  const rows = await Promise.allSettled([ask(1), ask(2), ask(3)])
  expect(rows.map((row) => (row.status === 'fulfilled' ? row.value?.text : undefined))).toEqual(found)
})
