import { expect, it } from 'vitest'
import { openRig } from '../store/store-rig.test-support.ts'
import { getHistory } from './get-history.ts'

it('refuses an entry that is not JSON, names it, and shows the others', async () => {
  const { store, db, start } = openRig()
  const [damaged, whole] = [await start(), await start()]
  db.prepare('UPDATE journal SET data = \'{"input":\' WHERE execution = ?').run(damaged.key)
  const historyOf = (id: string) =>
    getHistory({ store, defaultProjectId: 'default' }, { id, projectId: undefined, page: {} })
  await expect(historyOf(damaged.id)).rejects.toThrow(
    expect.objectContaining({ code: 'internal', message: expect.stringContaining('Entry 1 (execution_started)') }),
  )
  expect(JSON.parse(await historyOf(whole.id))).toMatchObject({ items: [{ position: 1 }] })
})
