import { expect, it, vi } from 'vitest'
import { noteOtherAccess, accessTo } from './other-access.ts'

it('answers nothing, and says nothing of a failure, once the connection has got another access', async () => {
  const asked = Promise.withResolvers<string>()
  const refused = Promise.withResolvers<string>()
  const inA = accessTo('a')
  const elsewhere = accessTo('b')(() => asked.promise)
  const answers = [inA(() => asked.promise), inA(() => refused.promise)]
  noteOtherAccess('a')
  asked.resolve('done')
  refused.reject(new Error('API_KEY is too long'))
  for (const answer of answers) await expect(answer).rejects.toThrow('This connection has got another access since.')
  expect(await elsewhere).toBe('done')
  expect(await accessTo('a')(() => asked.promise)).toBe('done')
})

it('sends nothing more once the connection has got another access', async () => {
  const before = accessTo('a')
  noteOtherAccess('a')
  const send = vi.fn(() => Promise.resolve('sent'))
  await expect(before(send)).rejects.toThrow('This connection has got another access since.')
  expect(send).not.toHaveBeenCalled()
})
