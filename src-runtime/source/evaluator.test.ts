import type { ChildProcess } from 'node:child_process'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { nodeFork, type Fork } from '../shared/fork.ts'
import { createEvaluator, forkEvaluatorWith, type Evaluator } from './evaluator.ts'

let evaluator: Evaluator
afterEach(() => evaluator.stop())

const described = (config: string): string => `({ programs: [], effects: [], converters: {}, config: ${config} })`
const ENDLESS = described('(() => { for (;;); })()')

it('rejects when the system throws instead of starting a process, and starts one the next time', async () => {
  let refusals = 1
  const fork: Fork = {
    ...nodeFork,
    start: (...given) => {
      if (refusals-- > 0) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
      return nodeFork.start(...given)
    },
  }
  evaluator = createEvaluator(forkEvaluatorWith(fork))
  const text = 'the process that reads schemas could not start: spawn ENOMEM'
  await expect(evaluator.evaluate(described('1'))).rejects.toThrow(text)
  expect(await evaluator.evaluate(described('1'))).toMatchObject({ kind: 'described', described: { config: 1 } })
})

it('rejects when the process does not start', async () => {
  const missing: Fork = {
    ...nodeFork,
    start: (file, args, options) => nodeFork.start(file, args, { ...options, execPath: '/no/such/node' }),
  }
  evaluator = createEvaluator(forkEvaluatorWith(missing))
  await expect(evaluator.evaluate(described('1'))).rejects.toThrow('could not start: spawn /no/such/node ENOENT')
})

it('rejects when the process ends before it evaluates, as it does where the system has no more threads', async () => {
  let aborts = 1
  const aborting: Fork = {
    ...nodeFork,
    start: (file, args, options) => {
      const last = aborts-- > 0 ? ['--import', 'data:text/javascript,process.abort()'] : []
      return nodeFork.start(file, args, { ...options, execArgv: [...options.execArgv!, ...last] })
    },
  }
  evaluator = createEvaluator(forkEvaluatorWith(aborting))
  const text = 'the process that reads schemas could not start: SIGABRT'
  await expect(evaluator.evaluate(described('1'))).rejects.toThrow(text)
  expect(await evaluator.evaluate(described('process.exit(3)'))).toEqual({
    kind: 'lost',
    message: 'the process that reads schemas ended: exit code 3',
  })
})

it('evaluates in another process where the code before it ends its own, or has fixed a global', async () => {
  evaluator = createEvaluator()
  for (const value of [1, 2, 3]) {
    const ending = described(`(setImmediate(() => process.exit(4)), ${value})`)
    expect(await evaluator.evaluate(ending)).toMatchObject({ described: { config: value } })
  }
  for (const value of [1, 2, 3]) {
    const fixing = described(`Object.defineProperty(globalThis, 'fixed', { value: { of: ${value} } }).fixed.of`)
    expect(await evaluator.evaluate(fixing)).toMatchObject({ described: { config: value } })
  }
  expect(await evaluator.evaluate(described('absent'))).toMatchObject({ kind: 'threw', name: 'ReferenceError' })
})

it('evaluates on while something takes long, and gives that up after the limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  evaluator = createEvaluator(undefined, 1_500)
  let isOver = false
  const slow = evaluator.evaluate(ENDLESS).finally(() => (isOver = true))
  for (const value of [1, 2]) {
    expect(await evaluator.evaluate(described(String(value)))).toMatchObject({ described: { config: value } })
  }
  await vi.advanceTimersByTimeAsync(1_499)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await slow).toEqual({ kind: 'lost', message: 'it took longer than 1.5 s' })
})

it('ends what is called off or runs when it is stopped', async () => {
  evaluator = createEvaluator()
  const controller = new AbortController()
  const calledOff = evaluator.evaluate(ENDLESS, controller.signal)
  const running = evaluator.evaluate(ENDLESS)
  controller.abort()
  expect(await calledOff).toEqual({ kind: 'lost', message: 'it was called off' })
  evaluator.stop()
  await expect(running).rejects.toThrow('nothing more is evaluated')
  await expect(evaluator.evaluate(described('1'))).rejects.toThrow('nothing more is evaluated')
})

it('ends by itself when nobody is left to end it', async () => {
  evaluator = createEvaluator()
  let child: ChildProcess | undefined
  const fork: Fork = { ...nodeFork, start: (...given) => (child = nodeFork.start(...given) as ChildProcess) }
  const started = forkEvaluatorWith(fork).spawn()
  const ended = new Promise((resolve) => started.onExit(resolve))
  onTestFinished(started.kill)
  started.send({ id: 1, code: ENDLESS, limitMs: 100 })
  child!.disconnect()
  expect(await ended).toMatch(/^exit code/)
})
