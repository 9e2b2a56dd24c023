import { describe, expect, it } from 'vitest'
import { describeValue, nameFault, valueFault } from './variable-rules.ts'

describe('a name in the environment', () => {
  it.each(['A', '_', 'API_KEY', 'a1', 'NODE', 'PATHS', 'MY_PATH', 'x'.repeat(128)])('may be %s', (name) =>
    expect(nameFault(name)).toBeUndefined(),
  )
  it.each([
    ['', 'Enter a name'],
    ['1A', 'begin with a digit'],
    ['A-B', 'only letters'],
    ['A B', 'only letters'],
    ['Ä', 'only letters'],
    ['x'.repeat(129), 'at most 128'],
    ['PATH', 'cannot be set'],
    ['NODE_OPTIONS', 'cannot be set'],
    ['LD_PRELOAD', 'cannot be set'],
    ['DYLD_X', 'cannot be set'],
    ['WES_TOKEN', 'cannot be set'],
  ])('may not be %j', (name, fault) => expect(nameFault(name)).toContain(fault))
})

describe('a value in the environment', () => {
  it('has at most 32 KiB of UTF-8', () => {
    expect(valueFault('x'.repeat(32 * 1024))).toBeUndefined()
    expect(valueFault('x'.repeat(32 * 1024 + 1))).toContain('32 KiB')
    expect(valueFault('€'.repeat(11_000))).toContain('32 KiB')
  })

  it('is text that a process can be given', () => {
    expect(valueFault('')).toBeUndefined()
    expect(valueFault('a\0b')).toContain('U+0000')
    expect(valueFault('\ud800')).toContain('must be text')
  })

  it('is described without being shown', () => {
    expect(describeValue('')).toBe('Empty')
    expect(describeValue('x')).toBe('1 byte')
    expect(describeValue('hunter2 ')).toBe('8 bytes, ends with a space')
    expect(describeValue(' a\nb\n')).toBe('5 bytes, 3 lines, ends with a line break, begins with a space')
  })
})
