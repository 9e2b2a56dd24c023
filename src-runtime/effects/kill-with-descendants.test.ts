import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../shared/is-alive.ts'
import { killWithDescendants } from './kill-with-descendants.ts'
import { until } from './effect-project.test-support.ts'
import { startProblem } from './spawn-effect-host.ts'

describe('killing a process', () => {
  it('kills it', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    await once(child, 'spawn')
    killWithDescendants(child, 'none')
    await once(child, 'exit')
    expect(child.exitCode ?? child.signalCode).not.toBe(0)
  })

  it.skipIf(process.platform === 'win32')('kills those that it started, and those that these started', async () => {
    const child = spawn('sh', ['-c', '(sleep 60 & echo $!; wait) & echo $!; wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    child.stdout.on('data', (text) => (said += String(text)))
    const pids = () => [...said.matchAll(/\d+/g)].map(Number)
    await until(() => pids().length === 2)
    const exited = once(child, 'exit')
    killWithDescendants(child, 'none')
    await exited
    await expect.poll(() => pids().filter(isAlive)).toEqual([])
  })

  it('also kills those that it started on Windows, and itself if that fails', () => {
    const did: unknown[] = []
    const child = { pid: 4711, kill: (signal: string) => did.push(signal) }
    const run = (program: string, args: readonly string[], _options: object, onEnd: () => void) => {
      did.push([program, ...args].join(' '))
      onEnd()
    }
    killWithDescendants(child, 'none', { platform: 'win32', run })
    expect(did).toEqual(['taskkill /PID 4711 /T /F', 'SIGKILL'])
    killWithDescendants({ ...child, pid: undefined }, 'none', { platform: 'win32', run })
    expect(did.slice(2)).toEqual(['SIGKILL'])
    const refuse = (): never => {
      throw new Error('spawn ENOMEM')
    }
    killWithDescendants(child, 'none', { platform: 'win32', run: refuse })
    expect(did.slice(3)).toEqual(['SIGKILL'])
  })
})

describe('a host that does not start', () => {
  it('is explained on Windows by the length of its folder’s path, which Node reports as a missing executable', () => {
    const error = new Error('spawn node.exe ENOENT')
    expect(startProblem(error, `C:\\${'x'.repeat(255)}`, 'win32').message).toMatch(
      /has 258 characters, .* more than 257/,
    )
    expect(startProblem(error, `C:\\${'x'.repeat(254)}`, 'win32')).toBe(error)
    expect(startProblem(error, `/${'x'.repeat(500)}`, 'linux')).toBe(error)
  })
})
