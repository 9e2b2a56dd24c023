import { describe, expect, it } from 'vitest'
import type { ProgramVersion } from '#sdk/index.ts'
import { chosenVersion, versionCannot, versionNotice } from './choose-version.ts'

const version = (number: number, runnable = true): ProgramVersion => ({
  id: `ver_${number}`,
  programId: 'p',
  number,
  digest: '',
  origin: 'upload',
  hasEffects: !runnable,
  runnable,
  manifest: {},
  createdAt: '2026-01-01T00:00:00.000Z',
})
const versions = [version(3, false), version(2), version(1)]

describe('the version that a start runs', () => {
  it('is the newest runnable one, or the selected one', () => {
    expect(chosenVersion(versions, 'newest')?.number).toBe(2)
    expect(chosenVersion(versions, 1)?.number).toBe(1)
    expect(chosenVersion(versions, 9)).toBeUndefined()
    expect(chosenVersion([version(1, false)], 'newest')).toBeUndefined()
  })

  it('has a reason if it cannot run', () => {
    const missing = { ...version(1, false), origin: 'source' } as const
    expect([version(1), version(1, false), missing].map(versionCannot)).toEqual([
      undefined,
      'uploaded effects do not run here',
      'its source is missing',
    ])
  })

  it('is shown if it differs from the previous one', () => {
    expect(versionNotice(1, versions, 'newest')).toEqual({ chosen: 2, ownCanRun: true })
    expect(versionNotice(3, versions, 'newest')).toEqual({ chosen: 2, ownCanRun: false })
    expect(versionNotice(2, versions, 'newest')).toBeUndefined()
    expect(versionNotice(1, versions, 1)).toBeUndefined()
  })
})
