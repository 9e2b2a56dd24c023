import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEffectRig, until } from './effect-project.test-support.ts'

const rig = (trusted: boolean) => {
  const state = { trusted }
  const made = createEffectRig({ isTrusted: () => state.trusted })
  made.deploy(
    'ver_1',
    `import { existsSync, writeFileSync } from 'node:fs'
     export const quick = () => 'done'
     export const fails = () => { throw new Error('no') }
     export const slow = (_input, { attempt }) => new Promise((resolve) => {
       writeFileSync('started', '')
       if (existsSync('go')) resolve('attempt ' + attempt)
     })`,
  )
  return { ...made, state }
}

describe('an effect of a folder that is not trusted', () => {
  it('waits with a log entry, and runs once the folder is trusted', async () => {
    const { call, hosts, folder, state, lines } = rig(false)
    const { outcome, logs } = call('quick')
    void call('quick')
    const wait = `waits: the folder ${folder} is not trusted. Start \`wes dev\` in it, or open it in the desktop app`
    expect(logs).toEqual([{ level: 'warn', message: `The effect quick ${wait}.` }])
    expect(lines.map(({ msg }) => msg)).toEqual([`effect quick ${wait}`])
    expect(hosts.status()).toEqual([])
    state.trusted = true
    expect(await outcome).toEqual({ kind: 'completed', data: '{"result":"done"}' })
    expect(await call('fails').outcome).toMatchObject({ kind: 'failed', error: { message: 'no' } })
  })

  it('can be cancelled while it waits', async () => {
    const { call } = rig(false)
    const { outcome, cancel } = call('quick')
    cancel()
    expect(await outcome).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } })
  })

  it('does not delay the stop of the runtime', async () => {
    const { call, hosts } = rig(false)
    void call('quick')
    await expect(hosts.stop()).resolves.toBeUndefined()
  })
})

describe('effects of a trusted folder', () => {
  it('do not each read the list', async () => {
    let looks = 0
    const { call, deploy } = createEffectRig({ isTrusted: () => (looks += 1) > 0 })
    deploy('ver_1', `export const quick = () => 'done'`)
    await call('quick').outcome
    const before = looks
    for (let count = 0; count < 20; count += 1) await call('quick').outcome
    expect(looks - before).toBeLessThan(20)
  })
})

describe('an effect whose folder is no longer trusted', () => {
  it('is stopped with its process, and runs again as the same attempt once the folder is trusted again', async () => {
    const { call, hosts, folder, state, write } = rig(true)
    const steps: string[] = []
    const { outcome, logs } = call('slow', undefined, {
      attempt: 3,
      onBegin: () => steps.push('begins'),
      onWait: () => steps.push('waits'),
    })
    await until(() => existsSync(join(folder, 'started')))
    state.trusted = false
    await until(() => hosts.status().length === 0 && logs.length === 1)
    write('go', '')
    state.trusted = true
    expect(await outcome).toEqual({ kind: 'completed', data: '{"result":"attempt 3"}' })
    expect(steps).toEqual(['begins', 'waits', 'begins'])
  })

  it('leaves no process if none of its effects is running', async () => {
    const { call, hosts, state } = rig(true)
    await call('quick').outcome
    expect(hosts.status()).toHaveLength(1)
    state.trusted = false
    await until(() => hosts.status().length === 0)
  })
})
