import { describe, expect, it } from 'vitest'
import { newSecretKeyText, readSecretKeys, SecretKeyError } from './secret-keys.ts'

const OLD = newSecretKeyText('2025')
const NEW = newSecretKeyText('2026')
const keys = readSecretKeys(OLD)

describe('sealing a secret', () => {
  it('opens to the same text, and looks different each time', () => {
    for (const text of ['', 'hunter2', 'ключ 🔑', 'x'.repeat(32 * 1024)]) {
      expect(keys.open(keys.seal(text, 'here'), 'here')).toBe(text)
    }
    expect(keys.seal('same', 'here')).not.toBe(keys.seal('same', 'here'))
  })

  it('hides the text', () => {
    const sealed = keys.seal('hunter2-hunter2', 'here')
    expect(Buffer.from(sealed.slice(5), 'base64').includes('hunter2')).toBe(false)
    expect(sealed).not.toContain('hunter2')
  })

  it('opens nowhere else, and not once it was changed', () => {
    const sealed = keys.seal('hunter2', 'workspace 1')
    expect(() => keys.open(sealed, 'workspace 2')).toThrow(SecretKeyError)
    const changed = sealed.slice(0, 12) + (sealed[12] === 'A' ? 'B' : 'A') + sealed.slice(13)
    expect(() => keys.open(changed, 'workspace 1')).toThrow('does not open with key 2025')
    for (const damaged of ['', ':', '2025:', '2025:AAAA', sealed.slice(0, 20)]) {
      expect(() => keys.open(damaged, 'workspace 1')).toThrow(SecretKeyError)
    }
  })
})

describe('rotating keys', () => {
  const both = readSecretKeys(`${NEW}, ${OLD}`)

  it('seals with the first key and opens with each', () => {
    const before = keys.seal('hunter2', 'here')
    expect(both.open(before, 'here')).toBe('hunter2')
    const after = both.seal('hunter2', 'here')
    expect([both.currentId, after.slice(0, 5)]).toEqual(['2026', '2026:'])
    expect(readSecretKeys(NEW).open(after, 'here')).toBe('hunter2')
  })

  it('names the key that is missing', () => {
    expect(() => readSecretKeys(NEW).open(keys.seal('hunter2', 'here'), 'here')).toThrow('sealed with key 2025')
  })

  it('refuses another key with the same id', () => {
    const other = readSecretKeys(newSecretKeyText('2025'))
    expect(() => other.open(keys.seal('hunter2', 'here'), 'here')).toThrow('another one of the same id')
  })
})

it('refuses keys that are not usable, without printing them', () => {
  const secret = 'c2VjcmV0'
  for (const text of ['', 'no-colon', `a:${secret}`, `a b:${NEW.slice(5)}`, `${NEW},`, `${NEW}x`]) {
    expect(() => readSecretKeys(text)).toThrow('is not of the form id:base64')
    expect(() => readSecretKeys(text)).not.toThrow(secret)
  }
  expect(() => readSecretKeys(`${NEW},${OLD}x`)).toThrow('Key 2 of WES_SECRET_KEY')
  expect(() => readSecretKeys(`${NEW},${newSecretKeyText('2026')}`)).toThrow('two keys with the id 2026')
})
