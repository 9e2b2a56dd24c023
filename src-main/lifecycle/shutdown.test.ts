import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { createShutdown } from './shutdown.ts'

const log = pino({ level: 'silent' })

describe('the shutdown of the app', () => {
  it('ends the app once the runtime has stopped, and only once', async () => {
    const exit = vi.fn()
    const stop = vi.fn(async () => undefined)
    const shutdown = createShutdown({ stop, exit, log })
    await Promise.all([shutdown.begin('crash', 1), shutdown.begin('quit', 0)])
    await shutdown.begin('quit', 0)
    expect(stop).toHaveBeenCalledTimes(1)
    expect(exit.mock.calls).toEqual([[1]])
  })

  it('calls back when everything is stored', async () => {
    const order: string[] = []
    const shutdown = createShutdown({
      stop: async () => void order.push('stopped'),
      exit: (code) => order.push(`exit ${code}`),
      log,
    })
    await shutdown.begin('crash', 1, async () => {
      order.push('words')
      await new Promise((resolve) => setImmediate(resolve))
      order.push('more words')
    })
    expect(order).toEqual(['stopped', 'words', 'more words', 'exit 1'])
  })

  it('ends the app even if the stop of the runtime fails or hangs, or what comes last fails', async () => {
    const lines: string[] = []
    const told = pino({ base: null }, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
    const end = async (stop: () => Promise<void>, words?: () => Promise<void>) => {
      const exit = vi.fn()
      await createShutdown({ stop, exit, log: told, limitMs: 20 }).begin('quit', 0, words)
      expect(exit).toHaveBeenCalledWith(0)
      return lines.splice(0)
    }
    expect(await end(() => Promise.reject(new Error('no')))).toEqual(['the app ends', 'the stop of the runtime failed'])
    expect(await end(() => new Promise<void>(() => undefined))).toEqual([
      'the app ends',
      'the runtime did not stop in time; nothing acknowledged is lost',
    ])
    const fails = () => Promise.reject(new Error('no words'))
    expect(await end(async () => undefined, fails)).toEqual(['the app ends', 'the end of the app failed'])
  })
})
