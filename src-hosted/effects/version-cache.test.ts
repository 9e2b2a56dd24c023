import { expect, it } from 'vitest'
import type { VersionEffects } from './effect-runner.ts'
import { createVersionCache } from './version-cache.ts'

const version = (length: number): VersionEffects => ({
  workspaceId: 'wsp_1',
  projectId: 'prj_1',
  name: 'a version',
  code: 'x'.repeat(length),
  effects: [],
})

it('counts the code of a version once that was forgotten, and read again, before it had come', async () => {
  const slow = Promise.withResolvers<VersionEffects>()
  const load = (id: string) => (id === 'slow' ? slow.promise : Promise.resolve(version(id === 'large' ? 101 : 30)))
  const versions = createVersionCache(load, '/tmp', 100)
  const first = versions.read('slow')
  await versions.read('large')
  const second = versions.read('slow')
  slow.resolve(version(60))
  await Promise.all([first, second])
  await versions.read('small')
  expect(['slow', 'small'].map(versions.has)).toEqual([true, true])
})
