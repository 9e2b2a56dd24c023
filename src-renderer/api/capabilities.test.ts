import { describe, expect, it } from 'vitest'
import { roleCannot } from './capabilities.ts'

describe('the role of a token', () => {
  it('may do what its own role and lesser ones may', () => {
    expect(roleCannot('write', 'admin')).toBeUndefined()
    expect(roleCannot('write', 'write')).toBeUndefined()
    expect(roleCannot('read', 'read')).toBeUndefined()
  })

  it('is named with the role that is needed', () => {
    expect(roleCannot('write', 'read')).toBe('Your token has the role read; this needs write')
    expect(roleCannot('admin', 'write')).toBe('Your token has the role write; this needs admin')
  })

  it('is not asked on local, and until it is known', () => {
    expect(roleCannot('admin', undefined)).toBeUndefined()
  })
})
