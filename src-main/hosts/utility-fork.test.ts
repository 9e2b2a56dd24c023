// Against a look-alike of Electron's utility process: what it is given, and what comes back.

import { EventEmitter } from 'node:events'
import type { ForkOptions } from 'electron'
import { describe, expect, it, vi } from 'vitest'
import type { ChildRole } from '../../src-runtime/shared/fork.ts'
import { utilityFork } from './utility-fork.ts'

const rig = (role: ChildRole = 'programs') => {
  const utility = Object.assign(new EventEmitter(), {
    pid: undefined as number | undefined,
    stdout: null,
    stderr: null,
    postMessage: vi.fn(),
    kill: vi.fn(() => true),
  })
  const started: { file: string; args: string[]; options: ForkOptions }[] = []
  const fork = utilityFork(
    (file, args, options) => {
      started.push({ file, args, options })
      return utility
    },
    role,
    (file) => file.replace('app.asar', 'app.asar.unpacked'),
  )
  const child = fork.start('/app.asar/host.js', ['shared'], {
    execArgv: ['--permission', '--allow-fs-read=/a', '--max-semi-space-size=2', '--stack-size=3900', '--no-addons'],
    env: { TZ: 'UTC', NONE: undefined },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  return { utility, started, child, fork }
}

describe('a utility process as a child process of the runtime', () => {
  it('has the app’s permissions only if it runs the app’s own code on its data', () => {
    const roles = ['programs', 'effects', 'schemas', 'upgrade'] as const
    expect(roles.map((role) => rig(role).started[0]?.options.disclaim)).toEqual([true, true, true, false])
  })

  it('is started outside the archive, with the supported options', () => {
    const { started, fork } = rig()
    expect(fork.makesGroups).toBe(false)
    expect(started).toEqual([
      {
        file: '/app.asar.unpacked/host.js',
        args: ['shared'],
        options: {
          serviceName: 'WES Programs',
          stdio: ['ignore', 'ignore', 'pipe'],
          execArgv: ['--js-flags=--max-semi-space-size=2 --stack-size=3900'],
          env: expect.objectContaining({ TZ: 'UTC' }) as object,
          disclaim: true,
        },
      },
    ])
    expect(started[0]?.options.env).not.toHaveProperty('NONE')
  })

  it('has no pid before it has started, and accepts messages at once', async () => {
    const { child, utility } = rig()
    expect(child.pid).toBeUndefined()
    const sent = vi.fn()
    child.send({ a: 1 }, sent)
    expect(utility.postMessage).toHaveBeenCalledWith({ a: 1 })
    await vi.waitUntil(() => sent.mock.calls.length === 1)
    utility.pid = 4711
    expect(child.pid).toBe(4711)
  })

  it('reports messages, and its end once', () => {
    const { child, utility } = rig()
    const heard: unknown[] = []
    child.on('message', (message) => heard.push(message))
    child.on('exit', (code, signal) => heard.push(['exit', code, signal]))
    child.on('close', (code) => heard.push(['close', code]))
    utility.emit('message', { kind: 'ready' })
    utility.emit('exit', 3)
    expect(heard).toEqual([{ kind: 'ready' }, ['exit', 3, null], ['close', 3]])
    expect([child.connected, child.exitCode, child.signalCode]).toEqual([false, 3, null])
  })

  it('does not end the app when V8 gives up in it, such as without memory', () => {
    const { child, utility } = rig()
    const heard: unknown[] = []
    child.on('exit', (code) => heard.push(code))
    utility.emit('error', 'FatalError', 'v8::ToLocalChecked', '{}')
    utility.emit('exit', 133)
    expect(heard).toEqual([133])
  })

  it('is killed immediately, or as soon as it has started', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    try {
      const { child, utility } = rig()
      child.kill('SIGKILL')
      expect(kill).not.toHaveBeenCalled()
      utility.pid = 4711
      utility.emit('spawn')
      expect(kill).toHaveBeenCalledWith(4711, 9)
      utility.emit('exit', 9)
      expect([child.exitCode, child.signalCode]).toEqual([null, 'SIGKILL'])
    } finally {
      kill.mockRestore()
    }
  })
})
