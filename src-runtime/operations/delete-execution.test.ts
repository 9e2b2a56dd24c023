import { expect, it, onTestFinished } from 'vitest'
import { createHttpRig } from '../http/http-rig.test-support.ts'

it('does not delete an Execution before those who wait for its end are answered', async () => {
  const rig = await createHttpRig()
  onTestFinished(rig.close)
  await rig.deploy('hello')
  const cancelAndDelete = async () => {
    const path = `/v1/executions/${await rig.start('hello', { do: 'wait', for: 'go' })}`
    const held = rig.call('GET', `${path}/result`, { headers: { prefer: 'wait=30' } })
    await rig.call('GET', '/healthz')
    const cancelled = rig.call('POST', `${path}/cancel`)
    for (;;) {
      const { status } = await rig.call('DELETE', path)
      if (status === 204) break
      expect(status).toBe(409)
    }
    await cancelled
    return (await held).json
  }
  for (let round = 0; round < 10; round += 1) expect(await cancelAndDelete()).toEqual({ status: 'cancelled' })
})
