import { expect, it, onTestFinished, vi } from 'vitest'
import { openSession } from './database.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()

it('answers each deploy with its own version, however many are deployed at once', async () => {
  const { store, projectId, ids } = await rig.newWorkspace()
  const deploy = async (digest: string) => {
    const { program } = await store.programs.deploy({
      ...{ id: ids('ver'), projectId, programId: 'order', digest, origin: 'upload', runnable: true },
      ...{ manifest: '{}', code: '({})', createdAt: 0 },
    })
    return program.latestVersion
  }
  for (let round = 0; round < 10; round += 1) {
    const digests = Array.from({ length: 8 }, (_, index) => `${round}-${index}`)
    const versions = await Promise.all(digests.map(deploy))
    expect(versions.map(({ digest }) => digest)).toEqual(digests)
    expect(new Set(versions.map(({ number }) => number)).size).toBe(8)
  }
})

it('creates a Program at the time of its first version', async () => {
  const { store, projectId, deploy } = await rig.newWorkspace()
  for (let index = 0; index < 20; index += 1) {
    await deploy(`new-${index}`)
    const program = await store.programs.get(projectId, `new-${index}`)
    const { createdAt } = program!.latestVersion
    expect(program).toMatchObject({ createdAt, updatedAt: createdAt })
  }
})

it('deletes a version once, and finds none for those that ask at the same time', async () => {
  const { store, projectId, deploy } = await rig.newWorkspace()
  for (const digest of ['first', 'second']) await deploy('order', { digest })
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(session.close)
  await session.run('BEGIN')
  await session.run("SELECT FROM programs WHERE id = 'order' FOR UPDATE")
  const removed = Promise.all([1, 2, 3].map(() => store.programs.remove(projectId, 'order', 1)))
  await vi.waitFor(async () => {
    const waiting = await session.run<{ pid: number }>('SELECT pid FROM pg_locks WHERE NOT granted')
    expect(waiting).toHaveLength(3)
  })
  await session.run('COMMIT')
  expect((await removed).toSorted()).toEqual(['removed', undefined, undefined])
})
