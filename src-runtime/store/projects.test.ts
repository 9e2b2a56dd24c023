import { expect, it } from 'vitest'
import { START, openRig } from './store-rig.test-support.ts'

it('has a default project from the beginning', () => {
  const { store } = openRig()
  const project = { id: 'default', name: 'Default', isDefault: true, createdAt: START }
  expect(store.projects.list()).toEqual([project])
  expect(store.projects.get('default')).toEqual(project)
  expect(store.projects.get('prj_none')).toBeUndefined()
})

it('lists the default project first and the others oldest first', async () => {
  const { store } = openRig()
  await store.projects.create({ id: 'prj_b', name: 'Beta', createdAt: START + 1 })
  await store.projects.create({ id: 'prj_a', name: 'Alpha', createdAt: START + 2 })
  expect(store.projects.list().map(({ id }) => id)).toEqual(['default', 'prj_b', 'prj_a'])
})

it('gives a name to one project only, also for two requests at once', async () => {
  const { store } = openRig()
  const results = await Promise.all([
    store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: START }),
    store.projects.create({ id: 'prj_2', name: 'Shop', createdAt: START }),
    store.projects.create({ id: 'prj_3', name: 'Default', createdAt: START }),
  ])
  expect(results).toEqual([
    { kind: 'created', project: { id: 'prj_1', name: 'Shop', isDefault: false, createdAt: START } },
    { kind: 'name_taken' },
    { kind: 'name_taken' },
  ])
  expect(store.projects.list()).toHaveLength(2)
})

it('keeps projects after a restart, including the default one', async () => {
  const first = openRig()
  await first.store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: START })
  const before = first.store.projects.list()
  await first.store.close()
  const second = openRig(first.file)
  second.clock.now += 1000
  expect(second.store.projects.list()).toEqual(before)
})
