import { expect, it } from 'vitest'
import type { VersionRecord } from '../../src-runtime/ports/programs.ts'
import { createKeptVersions } from './kept-versions.ts'

const version = (number: number, manifest: string): VersionRecord => ({
  ...{ id: `ver_${number}`, projectId: 'prj', programId: 'order', number, digest: 'd', origin: 'upload' },
  ...{ runnable: true, hasEffects: false, manifest, createdAt: 0 },
})

it('keeps no older version once a newer one is too long to be kept', () => {
  const kept = createKeptVersions()('wsp')
  kept.keep(['newest', 'prj', 'order'], version(1, '{}'))
  expect(kept.get(['newest', 'prj', 'order'])?.number).toBe(1)
  kept.keep(['newest', 'prj', 'order'], version(2, `{"description":"${'a'.repeat(20_000)}"}`))
  expect(kept.get(['newest', 'prj', 'order'])).toBeUndefined()
})
