import { expect, it } from 'vitest'
import { openRig, START } from './store-rig.test-support.ts'

const change = (versionNumber: number) => ({
  kind: 'program',
  programId: 'order',
  projectId: 'default',
  versionNumber,
  at: START,
})

it('reports a Program when a version is stored, retired or removed, after the commit', async () => {
  const { deploy, store, programReports } = openRig()
  const take = () => programReports.splice(0)
  await deploy('order')
  expect(take()).toEqual([change(1)])
  await deploy('order', { origin: 'source', source: { folder: '/shop', path: 'order.ts' } })
  expect(take()).toEqual([change(2)])
  await store.programs.retire('default', 'order')
  expect(take()).toEqual([change(2)])
  expect(await store.programs.remove('default', 'order', 1)).toBe('newest_runnable')
  expect(take()).toEqual([])
  await deploy('order')
  expect(await store.programs.remove('default', 'order', 2)).toBe('removed')
  expect(take()).toEqual([change(3), change(3)])
})

it('reports a version that becomes runnable when its source is found, but not an unchanged one', async () => {
  const { deploy, programReports } = openRig()
  const found = { digest: 'same', origin: 'source', source: { folder: '/shop', path: 'order.ts' } } as const
  await deploy('order', { digest: 'same', runnable: false })
  await deploy('order', found)
  expect(programReports).toEqual([change(1), change(1)])
  await deploy('order', found)
  expect(programReports).toHaveLength(2)
})
