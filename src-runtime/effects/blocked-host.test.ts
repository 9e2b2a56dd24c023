import { describe, expect, it } from 'vitest'
import { isAlive } from '../shared/is-alive.ts'
import { deployed as deployedWith, until } from './effect-project.test-support.ts'

const deployed = (code: string, limits = {}) => deployedWith(code, { blockedAfterMs: 1_000, ...limits })

const BYSTANDER = `export const bystander = (ms) => new Promise((resolve) => setTimeout(resolve, ms, process.pid))
  export const pid = () => process.pid`

describe('a blocked process', () => {
  it('is kept until the timeout of the blocking attempt, and then reports the position', async () => {
    const rig =
      deployed(`export const spin = (ms) => { console.log('before'); const end = Date.now() + ms; while (Date.now() < end); return 'done' }
      ${BYSTANDER}`)
    expect(await rig.result('spin', 1_500)).toBe('done')
    const call = rig.call('spin', 60_000, { timeoutMs: 1_500 })
    const outcome = await call.outcome
    expect(outcome).toMatchObject({
      kind: 'failed',
      retryable: true,
      error: { code: 'effect_timeout', name: 'TimeoutError' },
    })
    if (outcome.kind === 'completed') return
    expect(outcome.error.message).toBe('effect "spin" timed out after 1.5 s: it blocked its process, which was stopped')
    expect(outcome.error.stack).toMatch(/at (\w+\.)?spin \(effects-\w+\.mjs:1/)
    expect(call.logs).toEqual([{ level: 'info', message: 'before' }])
  })

  it('does not delay later attempts, and costs the others in it no attempt', async () => {
    const rig = deployed(
      `export const spin = async () => { await 1; for (;;); }
      ${BYSTANDER}`,
      { blockedAmongOthersMs: 6_000 },
    )
    const pid = await rig.result('pid')
    const stuck = rig.call('bystander', 50)
    const spinning = rig.failure('spin')
    await new Promise((resolve) => setTimeout(resolve, 100))
    // First it is only silent; then it says which effect blocks it.
    await until(() => rig.lines.some(({ msg }) => msg.startsWith('effect "spin" blocks its process')))
    const other = await rig.result('pid')
    expect(other).not.toBe(pid)
    expect(isAlive(pid as number)).toBe(true)
    // It is known by now, so it gets a process of its own, and stands in nobody's way.
    const again = rig.failure('spin', 1, { timeoutMs: 1_500 })
    expect(await rig.result('pid')).toBe(other)
    expect(await stuck.outcome).toEqual({ kind: 'completed', data: JSON.stringify({ result: other }) })
    expect(stuck.logs).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/was interrupted: .* effect "spin" blocked it for .* begins again/),
      },
    ])
    const blamed = await spinning
    expect(blamed).toMatchObject({ retryable: true, error: { code: 'effect_blocked' } })
    expect(blamed.error.stack).toMatch(/at spin \(effects-/)
    expect((await again).error.code).toBe('effect_timeout')
    expect(await rig.result('pid')).toBe(other)
    await until(() => !isAlive(pid as number))
  })

  it('is killed soon when the blocking attempt is cancelled or already over', async () => {
    const rig = deployed(
      `export const spin = async () => { for (;;); }
      export const leave = () => { setTimeout(() => { for (;;); }, 50) }
      export const pid = () => process.pid`,
      { blockedAmongOthersMs: 2_000 },
    )
    const call = rig.call('spin')
    await until(() => rig.hosts.status()[0]?.state === 'blocked')
    const pid = rig.hosts.status()[0]!.pid!
    call.cancel()
    expect(await call.outcome).toMatchObject({ error: { code: 'cancelled' } })
    await until(() => !isAlive(pid))
    await rig.result('leave')
    const [left] = rig.hosts.status()
    await until(() => rig.hosts.status()[0]?.state === 'blocked')
    expect(await rig.result('pid')).not.toBe(left!.pid)
    await until(() => !isAlive(left!.pid!))
  })

  it('by a module that loops while it is loaded delays the others in it once', async () => {
    const rig = deployed(BYSTANDER, { blockedAmongOthersMs: 2_000, loadMs: 5_000 })
    rig.deploy('ver_loop', 'export const looped = () => 1; for (;;);')
    const looping = () => rig.failure('looped', 1, { versionId: 'ver_loop' })
    const waiting = rig.result('bystander', 3_000)
    const first = looping()
    expect((await first).error.message).toMatch(/a module that was being loaded blocked it/)
    const pid = await waiting
    const again = looping()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await rig.result('bystander', 10)).toBe(pid)
    expect((await again).retryable).toBe(true)
  })

  it('fails the others in it once code that belongs to no attempt has blocked it again and again', async () => {
    const rig = deployed(
      `export const leave = () => { setTimeout(() => { for (;;); }, 50) }
      ${BYSTANDER}`,
      { blockedAfterMs: 300, blockedAmongOthersMs: 600 },
    )
    const call = rig.call('bystander', 60_000)
    const interrupted = (): number => call.logs.length
    for (const count of [1, 2, 3]) {
      await rig.result('leave')
      await until(() => interrupted() === count)
    }
    await rig.result('leave')
    expect(await call.outcome).toMatchObject({
      kind: 'failed',
      retryable: true,
      error: { code: 'effect_host_restarted' },
    })
    expect(interrupted()).toBe(3)
  })

  it('is one of a few: if there are too many, the oldest is killed', async () => {
    const names = ['one', 'two', 'three', 'four', 'five']
    const rig = deployed(
      // Without using the processor.
      `const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
       ${names.map((name) => `export const ${name} = block`).join('\n')}
       ${BYSTANDER}`,
      { blockedAfterMs: 500 },
    )
    const blocked = (): number => rig.hosts.status().filter(({ state }) => state === 'blocked').length
    const spinning = []
    for (const name of names) {
      spinning.push(rig.failure(name))
      await until(() => blocked() === Math.min(spinning.length, 4))
      await rig.result('pid')
    }
    expect((await spinning[0]!).error.code).toBe('effect_blocked')
    expect(rig.hosts.status().length).toBeLessThanOrEqual(6)
  })

  it('is detected in native code too', async () => {
    const rig = deployed(`import { execSync } from 'node:child_process'
      export const wait = () => void execSync('sleep 30')
      ${BYSTANDER}`)
    expect((await rig.failure('wait', 1, { timeoutMs: 1_500 })).error).toMatchObject({ code: 'effect_timeout' })
    expect(await rig.result('pid')).toEqual(expect.any(Number))
  })
})

describe('a process in which nothing arrives any more', () => {
  const deafTo = (code: string) =>
    deployed(
      `export const deafen = () => { ${code} }
      export const deafenBeside = async (ms) => { deafen(); console.log('deaf'); await new Promise((resolve) => setTimeout(resolve, ms)); return 'ended' }
      ${BYSTANDER}`,
      { blockedAfterMs: 500 },
    )

  it.each([
    ['removes all listeners', 'process.removeAllListeners()'],
    ['replaces emit', 'process.emit = () => false'],
  ])('because an effect %s is replaced, and the next attempt runs elsewhere', async (_, code) => {
    const rig = deafTo(code)
    const pid = await rig.result('pid')
    await rig.perform('deafen')
    const next = rig.call('pid', 1, { timeoutMs: 2_000 })
    const outcome = await next.outcome
    expect(outcome).toEqual({ kind: 'completed', data: expect.stringMatching(/^\{"result":\d+\}$/) })
    expect(outcome).not.toEqual({ kind: 'completed', data: JSON.stringify({ result: pid }) })
    expect(next.logs).toEqual([
      { level: 'warn', message: expect.stringMatching(/was interrupted: its process .* begins again/) },
    ])
    await until(() => !isAlive(pid as number))
  })

  it('ends when what has arrived has ended', async () => {
    const rig = deafTo('process.removeAllListeners()')
    const pid = await rig.result('pid')
    const beside = rig.call('deafenBeside', 4_000)
    await until(() => beside.logs.length > 0)
    expect(await rig.result('pid', 1, { timeoutMs: 1_000 })).not.toBe(pid)
    expect(await beside.outcome).toEqual({ kind: 'completed', data: '{"result":"ended"}' })
    await until(() => !isAlive(pid as number))
  })
})
