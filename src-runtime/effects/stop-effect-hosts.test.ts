import { fork } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../shared/is-alive.ts'
import { deployed, until } from './effect-project.test-support.ts'

const settled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 50, false))])

describe('stopping', () => {
  it('aborts running effects; results count, and other attempts have no outcome', async () => {
    const code = `const aborted = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.message)))
      export const completes = (_, { signal }) => aborted(signal)
      export const fails = async (_, { signal }) => { throw new Error(await aborted(signal)) }
      export const pid = () => process.pid`
    const rig = deployed(code, { stopMs: 600_000 })
    const pid = (await rig.result('pid')) as number
    const completes = rig.perform('completes')
    const fails = rig.perform('fails')
    await until(() => rig.hosts.status()[0]!.underWay === 2)
    await Promise.all([rig.hosts.stop(), rig.hosts.stop()])
    expect(await completes).toEqual({ kind: 'completed', data: '{"result":"the runtime is stopping"}' })
    expect(await settled(fails)).toBe(false)
    expect(await settled(rig.perform('completes'))).toBe(false)
    expect(isAlive(pid)).toBe(false)
    expect(rig.hosts.status()).toEqual([])
  })

  it('ends the hosts of effects that ignore the signal or block', async () => {
    const rig = deployed(`export const deaf = () => new Promise(() => {})
      export const spin = () => { for (;;); }`)
    const deaf = rig.perform('deaf')
    const spin = rig.perform('spin')
    await until(() => rig.hosts.status()[0]?.state === 'ready')
    const pid = rig.hosts.status()[0]!.pid!
    await rig.hosts.stop()
    expect(isAlive(pid)).toBe(false)
    expect([await settled(deaf), await settled(spin)]).toEqual([false, false])
  })

  it('is done at once if no effect ran', async () => {
    const rig = deployed('')
    await rig.hosts.stop()
    expect(rig.hosts.status()).toEqual([])
  })
})

describe('a killed runtime', () => {
  it.each(['idle', 'waiting', 'blocked'])('leaves no process: %s', async (state) => {
    const rig = deployed('')
    const runtime = fork(join(import.meta.dirname, 'killed-runtime.test-support.ts'), [rig.folder, state], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const pids = await new Promise<number[]>((resolve) =>
      runtime.once('message', (message) => resolve(message as number[])),
    )
    expect(pids.map(isAlive)).toEqual([true, true])
    runtime.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })
})
