import { expect, it } from 'vitest'
import { createHttpRig } from './http-rig.test-support.ts'

it('a bulk of more than 100,000 is refused, with advice', async () => {
  const asked: number[] = []
  const crowded = await createHttpRig({
    store: (real) => ({
      ...real,
      overview: {
        ...real.overview,
        keys: (_, most) => {
          asked.push(most)
          return Promise.resolve(Array.from({ length: most }, (_unused, index) => index + 1))
        },
      },
    }),
  })
  try {
    const { status, json } = await crowded.call('POST', '/v1/bulk', { json: { action: 'delete', filter: {} } })
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    expect(json.error.message).toContain('matches more than 100000 Executions: narrow it')
    expect(asked).toEqual([100_001])
  } finally {
    await crowded.close()
  }
})
