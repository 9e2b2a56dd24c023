import { describe, expect, it } from 'vitest'
import { START, openRig } from './store-rig.test-support.ts'

it('numbers the versions of a Program from 1, and makes none for the content of the latest', async () => {
  const { store, deploy } = openRig()
  const numbers = []
  for (const digest of ['a', 'a', 'b', 'a', 'a']) numbers.push((await deploy('order', { digest })).number)
  expect(numbers).toEqual([1, 1, 2, 3, 3])
  const page = store.programs.versions({ projectId: 'default', programId: 'order', limit: 10 })
  expect(page.items.map(({ number, digest }) => [number, digest])).toEqual([
    [3, 'a'],
    [2, 'b'],
    [1, 'a'],
  ])
})

it('reports whether a deploy made a version, and keeps the description if it did not', async () => {
  const { store } = openRig()
  const version = {
    projectId: 'default',
    programId: 'order',
    digest: 'a',
    origin: 'upload',
    runnable: true,
    manifest: '{"x":1}',
    code: 'code',
    createdAt: START,
  } as const
  const first = await store.programs.deploy({ ...version, id: 'ver_1', description: 'first' })
  expect(first).toEqual({
    kind: 'created',
    program: {
      id: 'order',
      projectId: 'default',
      description: 'first',
      latestVersion: {
        id: 'ver_1',
        programId: 'order',
        projectId: 'default',
        number: 1,
        digest: 'a',
        origin: 'upload',
        hasEffects: false,
        runnable: true,
        manifest: '{"x":1}',
        createdAt: START,
      },
      runnable: true,
      createdAt: START,
      updatedAt: START,
    },
  })
  const repeated = await store.programs.deploy({ ...version, id: 'ver_2', description: 'other', createdAt: START + 1 })
  expect(repeated).toEqual({ kind: 'unchanged', program: first.program })

  const changed = await store.programs.deploy({ ...version, id: 'ver_3', digest: 'b', createdAt: START + 2 })
  expect(changed.kind).toBe('created')
  expect(changed.program).toMatchObject({ createdAt: START, updatedAt: START + 2, latestVersion: { number: 2 } })
  expect(changed.program).not.toHaveProperty('description')
})

it('gives each of two deploys in one transaction its own number', async () => {
  const { deploy } = openRig()
  const deployed = await Promise.all([deploy('order', { digest: 'a' }), deploy('order', { digest: 'b' })])
  expect(deployed.map(({ number }) => number)).toEqual([1, 2])
})

it('separates Programs of different projects', async () => {
  const { store, deploy } = openRig()
  await store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: START })
  await deploy('order')
  await deploy('order', { projectId: 'prj_1', description: 'the shop’s' })
  expect(store.programs.get('default', 'order')).not.toHaveProperty('description')
  expect(store.programs.get('prj_1', 'order')).toMatchObject({
    description: 'the shop’s',
    latestVersion: { number: 1 },
  })
  expect(store.programs.get('prj_2', 'order')).toBeUndefined()
  await expect(deploy('order', { projectId: 'prj_none' })).rejects.toThrow('there is no project prj_none')
})

it('pages Programs by id and versions from the newest', async () => {
  const { store, deploy } = openRig()
  for (const id of ['b', 'a', 'c', 'B']) await deploy(id)
  for (const digest of ['2', '3', '4']) await deploy('a', { digest })

  const first = store.programs.list({ projectId: 'default', limit: 3 })
  expect(first.items.map(({ id }) => id)).toEqual(['B', 'a', 'b'])
  expect(first.more).toBe(true)
  const rest = store.programs.list({ projectId: 'default', afterId: 'b', limit: 3 })
  expect(rest.items.map(({ id }) => id)).toEqual(['c'])
  expect(rest.more).toBe(false)

  const query = { projectId: 'default', programId: 'a', limit: 2 }
  expect(store.programs.versions(query)).toMatchObject({ items: [{ number: 4 }, { number: 3 }], more: true })
  expect(store.programs.versions({ ...query, beforeNumber: 3 })).toMatchObject({
    items: [{ number: 2 }, { number: 1 }],
    more: false,
  })
})

it('finds the newest runnable version', async () => {
  const { store, deploy } = openRig()
  const effects = '{"code":"e"}'
  await deploy('order', { runnable: false, effects })
  expect(store.programs.newestRunnable('default', 'order')).toBeUndefined()
  expect(store.programs.get('default', 'order')).toMatchObject({ runnable: false, latestVersion: { hasEffects: true } })

  await deploy('order')
  await deploy('order', { runnable: false, effects })
  expect(store.programs.newestRunnable('default', 'order')).toMatchObject({ number: 2, runnable: true })
  expect(store.programs.get('default', 'order')).toMatchObject({ runnable: true, latestVersion: { number: 3 } })
  expect(store.programs.version('default', 'order', 1)).toMatchObject({ number: 1, hasEffects: true })
  expect(store.programs.version('default', 'order', 4)).toBeUndefined()
})

it('stores artifacts byte for byte', async () => {
  const { store, deploy } = openRig()
  const code = '({ run: async () => "žluťoučký 🐎 \u0000" })\n'
  const { versionId } = await deploy('order', { code, sourceMap: '{"mappings":""}', effects: '{"code":"e"}' })
  const plain = await deploy('plain', { code: '' })
  expect(store.programs.artifact(versionId)).toMatchObject({
    version: { id: versionId, hasEffects: true },
    code,
    sourceMap: '{"mappings":""}',
    effects: '{"code":"e"}',
  })
  const artifact = store.programs.artifact(plain.versionId)
  expect(artifact?.code).toBe('')
  expect(artifact).not.toHaveProperty('sourceMap')
  expect(artifact).not.toHaveProperty('effects')
  expect(store.programs.artifact('ver_none')).toBeUndefined()
})

it('accepts starts of a source version only while its source exists', async () => {
  const { store, deploy } = openRig()
  const found = { origin: 'source', source: { folder: '/shop', path: 'programs/order.ts' }, digest: 'same' } as const
  await deploy('order', found)
  expect(store.programs.newestRunnable('default', 'order')).toMatchObject({ number: 1, source: found.source })

  await deploy('other', { ...found, digest: 'b', source: { folder: '/shop', path: 'programs/other.ts' } })
  expect(store.programs.fromFolder('/shop')).toEqual([
    { projectId: 'default', programId: 'order', path: 'programs/order.ts' },
    { projectId: 'default', programId: 'other', path: 'programs/other.ts' },
  ])

  await store.programs.retire('default', 'order')
  expect(store.programs.newestRunnable('default', 'order')).toBeUndefined()
  expect(store.programs.fromFolder('/shop')).toMatchObject([{ programId: 'other' }])
  expect(store.programs.get('default', 'order')).toMatchObject({ runnable: false })

  const moved = { folder: '/elsewhere', path: 'programs/order.ts' }
  await deploy('order', { ...found, source: moved })
  expect(store.programs.newestRunnable('default', 'order')).toMatchObject({ number: 1, source: moved })
})

it('accepts starts of all source versions again once the source is back, changed or not', async () => {
  const { store, deploy } = openRig()
  const found = { origin: 'source', source: { folder: '/shop', path: 'programs/order.ts' } } as const
  const runnable = () => {
    const { items } = store.programs.versions({ projectId: 'default', programId: 'order', limit: 9 })
    return items.map(({ number, runnable }) => (runnable ? number : -number))
  }
  await deploy('order', { runnable: false, effects: '{"code":"e"}', digest: 'uploaded' })
  for (const digest of ['a', 'b']) await deploy('order', { ...found, digest })
  await store.programs.retire('default', 'order')
  expect(runnable()).toEqual([-3, -2, -1])
  await deploy('order', { ...found, digest: 'b' })
  expect(runnable()).toEqual([3, 2, -1])
  await store.programs.retire('default', 'order')
  await deploy('order', { ...found, digest: 'c' })
  expect(runnable()).toEqual([4, 3, 2, -1])
})

it('belongs to the folder of its newest version', async () => {
  const { store, deploy } = openRig()
  const from = (folder: string) => ({ origin: 'source', source: { folder, path: 'programs/order.ts' } }) as const
  await deploy('order', { ...from('/one'), digest: 'a' })
  await deploy('order', { ...from('/two'), digest: 'b' })
  expect([store.programs.fromFolder('/one'), store.programs.fromFolder('/two')]).toMatchObject([
    [],
    [{ programId: 'order' }],
  ])
})

it('runs an uploaded version once its source is found, and keeps uploads when a source is removed', async () => {
  const { store, deploy } = openRig()
  await deploy('order', { runnable: false, effects: '{"code":"e"}', digest: 'same' })
  const source = { folder: '/shop', path: 'programs/order.ts' }
  await deploy('order', { origin: 'source', source, effects: '{"code":"e"}', digest: 'same' })
  expect(store.programs.newestRunnable('default', 'order')).toMatchObject({ number: 1, origin: 'source', source })

  await deploy('plain')
  await store.programs.retire('default', 'plain')
  expect(store.programs.newestRunnable('default', 'plain')).toMatchObject({ number: 1 })
})

it('ends a page early for large manifests, and continues after it', async () => {
  const { store, deploy } = openRig()
  const manifest = JSON.stringify({ note: 'x'.repeat(3 * 1024 * 1024) })
  for (const id of ['a', 'b', 'c']) await deploy(id, { manifest })
  const first = store.programs.list({ projectId: 'default', limit: 10 })
  expect([first.items.map(({ id }) => id), first.more]).toEqual([['a', 'b'], true])
  const rest = store.programs.list({ projectId: 'default', afterId: 'b', limit: 10 })
  expect([rest.items.map(({ id }) => id), rest.more]).toEqual([['c'], false])
})

describe('removing a version', () => {
  const numbersOf = ({ store }: ReturnType<typeof openRig>) =>
    store.programs.versions({ projectId: 'default', programId: 'order', limit: 200 }).items.map(({ number }) => number)

  it('keeps the newest, the newest runnable, and those with Executions; never reuses a number', async () => {
    const rig = openRig()
    const { store, deploy, newExecution } = rig
    const remove = (number: number) => store.programs.remove('default', 'order', number)
    await deploy('order')
    const second = await deploy('order')
    await deploy('order')
    await deploy('order', { runnable: false })
    const started = await store.executions.start(newExecution(second))
    expect([await remove(4), await remove(3), await remove(2)]).toEqual(['newest', 'newest_runnable', 'used'])
    expect([await remove(1), await remove(1), await remove(9)]).toEqual(['removed', undefined, undefined])
    if (started.kind !== 'started') throw new Error(started.kind)
    await rig.change(started.head.key, { status: 'completed', finishedAt: START })
    expect(await remove(2)).toBe('used')
    await store.executions.delete(started.head.key)
    expect(await remove(2)).toBe('removed')
    expect((await deploy('order')).number).toBe(5)
    expect(numbersOf(rig)).toEqual([5, 4, 3])
    expect(store.programs.artifact(second.versionId)).toBeUndefined()
  })

  it('cannot succeed together with a start at the same time', async () => {
    const { store, deploy, newExecution } = openRig()
    const old = await deploy('order')
    await deploy('order')
    const [removed, started] = await Promise.all([
      store.programs.remove('default', 'order', old.number),
      store.executions.start(newExecution(old)),
    ])
    expect([removed, started.kind]).toEqual(['removed', 'version_gone'])
  })

  it('lets no Execution start on it any more, also after Executions that did', async () => {
    const rig = openRig()
    const { store, deploy, newExecution } = rig
    const old = await deploy('order')
    const { key } = await rig.start()
    await deploy('order')
    await rig.change(key, { status: 'completed', finishedAt: START })
    await store.executions.delete(key)
    expect(await store.programs.remove('default', 'order', old.number)).toBe('removed')
    expect(await store.executions.start(newExecution(old))).toEqual({ kind: 'version_gone' })
  })

  it('leaves no counts behind when its last Execution is deleted at the same time', async () => {
    const rig = openRig()
    const { store, db, deploy } = rig
    const old = await deploy('order')
    const { key } = await rig.start()
    await deploy('order')
    await rig.change(key, { status: 'completed', finishedAt: START })
    const [, removed] = await Promise.all([
      store.executions.delete(key),
      store.programs.remove('default', 'order', old.number),
    ])
    expect(removed).toBe('removed')
    expect(db.pragma('foreign_key_check')).toEqual([])
  })

  it('removes unused source versions that are older than the newest 20', async () => {
    const rig = openRig()
    const { store, db, deploy, newExecution } = rig
    const source = { origin: 'source', source: { folder: '/shop', path: 'order.ts' } } as const
    const code = () => Array.from({ length: 100 }, () => Math.random().toString(36).repeat(100)).join('')
    const used = await deploy('order', source)
    await store.executions.start(newExecution(used))
    await deploy('order')
    for (let n = 0; n < 40; n++) await deploy('order', { ...source, code: code() })
    expect(await store.programs.removeUnused('default', 'order')).toBe(20)
    expect(numbersOf(rig)).toEqual([...Array.from({ length: 20 }, (_, n) => 42 - n), 2, 1])
    const pages = db.pragma('page_count', { simple: true }) as number
    for (let n = 0; n < 40; n++) {
      await deploy('order', { ...source, code: code() })
      await store.programs.removeUnused('default', 'order')
    }
    expect(db.pragma('page_count', { simple: true })).toBeLessThan(pages * 1.05)
    expect(numbersOf(rig)).toHaveLength(22)
  })
})
