import { expect, it, onTestFinished, vi } from 'vitest'
import { START, openRig } from './store-rig.test-support.ts'

/** The list reads as many of the newest rows, and the older ones from an index by status. */
const READ_ROW_BY_ROW = 1_000

it('lists an Execution that moves from one of the statuses to another one while the list is read', async () => {
  const rig = openRig()
  const { key } = await rig.start()
  await rig.change(key, { status: 'waiting' })
  const older: number[] = []
  // Each is in a part of the index of its own.
  for (const programId of 'abcdefgh') {
    const ended = await rig.start(programId)
    await rig.change(ended.key, { status: 'completed', finishedAt: START })
    older.unshift(ended.key)
  }
  await Promise.all(Array.from({ length: READ_ROW_BY_ROW }, () => rig.start()))
  await rig.start() // after many callers at once, a commit waits for more of them

  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000)) // every slice has taken its time
  onTestFinished(() => void vi.restoreAllMocks())
  const listed = rig.store.overview.list({
    projectId: 'default',
    statuses: ['waiting', 'completed'],
    limit: 10,
  })
  await rig.change(key, { status: 'completed', finishedAt: START })
  expect((await listed).items.map(({ head }) => head.key)).toEqual([...older, key])
})
