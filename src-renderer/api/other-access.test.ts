import { expect, it } from 'vitest'
import { noteOtherAccess, withSameAccess } from './other-access.ts'

it('answers nothing, and says nothing of a failure, once the connection has got another access', async () => {
  const asked = Promise.withResolvers<string>()
  const refused = Promise.withResolvers<string>()
  const elsewhere = withSameAccess('b', () => asked.promise)
  const answers = [withSameAccess('a', () => asked.promise), withSameAccess('a', () => refused.promise)]
  noteOtherAccess('a')
  asked.resolve('done')
  refused.reject(new Error('API_KEY is too long'))
  for (const answer of answers) await expect(answer).rejects.toThrow('This connection has got another access since.')
  expect(await elsewhere).toBe('done')
  expect(await withSameAccess('a', () => asked.promise)).toBe('done')
})
