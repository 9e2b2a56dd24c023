import { fork } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFork } from '../shared/fork.ts'
import { createEffectRig } from './effect-project.test-support.ts'
import { forkEffectHostWith, type SpawnEffectHost } from './spawn-effect-host.ts'

describe('another home', () => {
  it('may start hosts in another way, and send messages through a parent port', async () => {
    const heaps: number[] = []
    const spawnEffectHost: SpawnEffectHost = ({ folder, environment, heapMb }, events) => {
      heaps.push(heapMb)
      const child = fork(join(import.meta.dirname, 'effect-host.ts'), [], {
        cwd: folder,
        env: environment,
        execArgv: ['--import', join(folder, 'parent-port.mjs')],
      })
      child.on('message', (message: { readonly ported: unknown }) => events.onMessage(message.ported))
      child.on('close', (code, signal) => events.onExit({ code, signal }))
      return {
        pid: child.pid,
        send: (batch) => void (child.connected && child.send(batch)),
        kill: () => void child.kill('SIGKILL'),
      }
    }
    const rig = createEffectRig({ spawnEffectHost, limits: { heapMb: 77, blockedAfterMs: 500 } })
    rig.write(
      'parent-port.mjs',
      `const send = process.send.bind(process)
       process.parentPort = {
         postMessage: (ported) => send({ ported }),
         on: (name, listener) => process.on(name, (data) => listener({ data })),
       }`,
    )
    rig.deploy('ver_1', 'export const pid = () => process.pid; export const spin = () => { for (;;); }')
    expect(await rig.result('pid')).toBe(rig.hosts.status()[0]!.pid)
    expect((await rig.failure('spin', 1, { timeoutMs: 6_000 })).error.stack).toMatch(/at spin/)
    expect(heaps).toEqual([77])
  })
})

describe('a host that the system refuses to start', () => {
  it('fails the attempts that wait for it, and those of the next second, and then is started', async () => {
    let refusals = 1
    const spawnEffectHost = forkEffectHostWith({
      ...nodeFork,
      start: (...given) => {
        // Node throws some errors of the system, and emits others.
        if (refusals-- > 0) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
        return nodeFork.start(...given)
      },
    })
    const rig = createEffectRig({ spawnEffectHost })
    rig.deploy('ver_1', 'export const one = () => 1')
    const message = expect.stringContaining('could not start: spawn ENOMEM') as string
    const failed = { retryable: true, error: { code: 'effect_host_crashed', message } }
    expect(await rig.failure('one')).toMatchObject(failed)
    expect(await rig.failure('one')).toMatchObject(failed)
    await expect.poll(() => rig.perform('one')).toMatchObject({ kind: 'completed' })
  })
})
