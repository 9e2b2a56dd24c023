import { expect, it } from 'vitest'
import { createVersionCache } from './version-cache.ts'

it('reads a version once while many ask for it, and keeps the code that was used last, within its bound', async () => {
  const asked: string[] = []
  const load = (id: string) => {
    asked.push(id)
    const owner = { workspaceId: 'wsp_1', projectId: 'prj_1', name: 'a version' }
    return Promise.resolve({ ...owner, code: 'x'.repeat(id === 'large' ? 101 : 40), effects: [] })
  }
  const versions = createVersionCache(load, '/tmp', 100)
  await Promise.all([versions.read('one'), versions.read('one'), versions.read('two')])
  await versions.read('one')
  await versions.read('three')
  expect(asked).toEqual(['one', 'two', 'three'])
  expect(['one', 'two', 'three'].map(versions.has)).toEqual([true, false, true])
  await versions.read('large')
  expect(['one', 'three', 'large'].map(versions.has)).toEqual([false, false, true])
})
