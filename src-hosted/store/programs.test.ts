import { expect, it } from 'vitest'
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
