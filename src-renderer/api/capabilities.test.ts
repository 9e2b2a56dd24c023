import type { Program } from '#sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { programCannot, roleCannot } from './capabilities.ts'

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

it('a Program that cannot be started says why', () => {
  const why = (origin: 'source' | 'upload', hasEffects: boolean) => {
    const latestVersion = { origin, hasEffects } as Program['latestVersion']
    return programCannot.beStarted({ runnable: false, latestVersion })
  }
  expect(why('source', true)).toBe('Its source is missing, or belongs to another project now')
  expect(why('upload', true)).toContain('Its uploaded effects do not run here')
  expect(why('upload', false)).toBe('No version of this Program can run here')
})
