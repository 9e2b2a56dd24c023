import { expect, it, onTestFinished } from 'vitest'
import { createHttpRig } from './http-rig.test-support.ts'

it('finds nothing by a Trigger, which a local runtime does not have', async () => {
  const rig = await createHttpRig()
  onTestFinished(rig.close)
  await rig.deploy('hello')
  const failed = await rig.start('hello', { do: 'fail', message: 'card 17 declined' })
  await rig.call('GET', `/v1/executions/${failed}/result`, { headers: { prefer: 'wait=10' } })
  await rig.start('hello', { do: 'wait', for: 'approved' })
  for (const more of ['', '&needsAttention=true', '&q=card', '&waitingName=approved', '&status=failed']) {
    const filter = `triggerId=trg_1${more}`
    expect((await rig.call('GET', `/v1/executions?${filter}`)).json.items).toEqual([])
    const { counts, needsAttention } = (await rig.call('GET', `/v1/executions/counts?${filter}`)).json
    expect([...Object.values(counts), needsAttention]).toEqual(Array(8).fill(0))
  }
})
