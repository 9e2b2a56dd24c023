import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { stop, type Plugin } from 'esbuild'
import { expect, it, onTestFinished, vi } from 'vitest'
import { build } from './call-esbuild.ts'

const errors = async () => (await build({ stdin: { contents: '1' }, write: false })).errors

const watchStarts = async (): Promise<readonly ChildProcess[]> => {
  await stop()
  const children: ChildProcess[] = []
  const onStart = (message: unknown) => children.push((message as { readonly process: ChildProcess }).process)
  subscribe('child_process', onStart)
  onTestFinished(() => void unsubscribe('child_process', onStart))
  return children
}

it('starts another process when the one before was killed', async () => {
  const children = await watchStarts()
  expect(await errors()).toEqual([])
  children[0]!.kill('SIGKILL')
  await expect.poll(errors).toEqual([])
  expect(children).toHaveLength(2)
})

it('leaves that other process alone when the one before has closed its output', async () => {
  const children = await watchStarts()
  expect(await errors()).toEqual([])
  const closed = new Promise((resolve) => children[0]!.on('close', resolve))
  children[0]!.emit('error', new Error('spawn ENOMEM'))
  expect(await errors()).toEqual([])
  await closed
  expect(await errors()).toEqual([])
  expect(children).toHaveLength(2)
})

it('lets other work run between modules that take long to read', async () => {
  let rounds = 0
  let next: NodeJS.Immediate
  const count = () => {
    rounds += 1
    next = setImmediate(count)
  }
  count()
  onTestFinished(() => clearImmediate(next))
  const readIn = new Set<number>()
  const slow: Plugin = {
    name: 'slow',
    setup: (own) => {
      own.onResolve({ filter: /^module-/ }, ({ path }) => ({ path: resolve(path) }))
      own.onLoad({ filter: /module-\d+$/ }, () => {
        readIn.add(rounds)
        const until = performance.now() + 10
        while (performance.now() < until);
        return { contents: '' }
      })
    },
  }
  const contents = Array.from({ length: 40 }, (_, index) => `import 'module-${index}'`).join('\n')
  await build({ stdin: { contents, resolveDir: resolve() }, bundle: true, write: false, plugins: [slow] })
  expect(readIn.size).toBeGreaterThanOrEqual(20)
})

it('ends a bundling that makes no progress, and bundles again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let reading = () => {}
  const isReading = new Promise<void>((done) => (reading = done))
  const stuck: Plugin = {
    name: 'stuck',
    setup: (own) => {
      own.onResolve({ filter: /^endless$/ }, () => {
        reading()
        return new Promise(() => {})
      })
    },
  }
  const contents = "import 'endless'"
  const building = build({ stdin: { contents, resolveDir: resolve() }, bundle: true, write: false, plugins: [stuck] })
  const failure = building.catch((error: unknown) => error)
  await isReading
  vi.advanceTimersByTime(60_000)
  expect(await failure).toMatchObject({ message: expect.stringContaining('no progress for a minute') as string })
  await expect.poll(errors).toEqual([])
})
