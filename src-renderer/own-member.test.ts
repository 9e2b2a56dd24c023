import { expect, it } from 'vitest'
import { ownMember } from './own-member.ts'

it.each(['constructor', 'toString', '__proto__'])('has no member %s until it is set', (name) => {
  expect(ownMember({}, name)).toBeUndefined()
  expect(ownMember({ ...{ a: '1' }, [name]: '2' }, name)).toBe('2')
})
