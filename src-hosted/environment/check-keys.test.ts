import pino from 'pino'
import { expect, it } from 'vitest'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { checkKeys } from './check-keys.ts'
import { valueContext } from './secret-contexts.ts'
import { newSecretKeyText, readSecretKeys } from './secret-keys.ts'

const rig = hostedRig()

const linesOf = async (
  keys: string,
  store: Parameters<typeof checkKeys>[0] = rig.store.secrets,
): Promise<readonly unknown[]> => {
  const lines: unknown[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
  await checkKeys(store, readSecretKeys(keys), log)
  return lines
}

it('says at a start which key sealed secrets that do not open, and nothing of those that do', async () => {
  const [old, next] = [newSecretKeyText('old'), newSecretKeyText('new')]
  const { workspaceId, projectId } = await rig.newWorkspace()
  const { environment } = rig.store.forWorkspace(workspaceId).tenant
  const seal = (name: string, key: string) => ({
    name,
    sealed: readSecretKeys(key).seal('hunter2', valueContext(projectId, name)),
  })
  await environment.change(projectId, {
    set: [seal('A', old), seal('B', next)],
    remove: [],
    most: 10,
    mostBytes: 1_000,
  })

  expect(await linesOf(`${next},${old}`)).toEqual([])
  const said = { level: 50, msg: expect.stringContaining('secrets do not open') as string }
  expect(await linesOf(next)).toEqual([{ ...said, keys: ['old'] }])
  expect(await linesOf(`${newSecretKeyText('new')},${old}`)).toEqual([{ ...said, keys: ['new'] }])
})

it('does not keep a process from starting when secrets cannot be read', async () => {
  const sealedByOthers = () => Promise.reject(new Error('the statement took too long'))
  const msg = 'it is not known whether secrets open with the keys of this process'
  expect(await linesOf(newSecretKeyText('new'), { sealedByOthers })).toMatchObject([{ level: 40, msg }])
})
