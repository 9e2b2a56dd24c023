// Connects the parts of an effect host: reads the runtime's messages, runs attempts, and answers.

import type { EffectHostLimits } from '../effect-host-limits.ts'
import { stampOf } from '../../shared/stat-of.ts'
import type { FromHost, ToHost } from '../messages.ts'
import { createAttempts } from './attempts.ts'
import { createBundles } from './bundles.ts'
import { captureOutput } from './capture-output.ts'
import type { Channel } from './channel.ts'
import { createDescribeError, type DescribeError } from './describe-error.ts'
import { createGuarded, guardProcess } from './guard-process.ts'
import type { WatchEventLoop } from './watch-event-loop.ts'
import { work, type RunningLoad } from './work.ts'

export type Host = { handle(batch: readonly ToHost[]): void }

/** Enough to find the author's frames below a library's. */
const FRAMES = 30

const IN_PACKAGE = /[\\/]node_modules[\\/]/

export const createHost = (options: {
  readonly folder: string
  readonly limits: EffectHostLimits
  readonly channel: Channel
  readonly watch: WatchEventLoop
  /** Where the runtime's own modules are. */
  readonly hostFolder: string
  /** Ends the processes that effects started. */
  readonly endStarted: () => void
}): Host => {
  const { folder, limits, channel, watch, hostFolder, endStarted } = options
  const { say } = channel
  let loads = 0
  let heard = 0
  let stopping = false

  Error.stackTraceLimit = FRAMES
  const describe = createDescribeError({ folder, hostFolder })
  const exit = process.exit.bind(process)
  const guarded = createGuarded(exit, describe)
  const bundles = createBundles(folder, (file) => {
    // Packages are replaced as a whole, which the runtime notices.
    if (!IN_PACKAGE.test(file)) say({ kind: 'read', file, stamp: stampOf(file) ?? '' })
  })
  const attempts = createAttempts({
    limits,
    say,
    sayLog: channel.sayPromptly,
    exported: bundles.exported,
    describe,
    sayLeft: () => beat(),
    onIdle: () => stopWhenIdle(),
    guarded,
  })
  captureOutput()
  guardProcess({ attempts, describe, say })
  watch({
    limits,
    report: () => {
      say(blockedBy(describe))
      channel.flush()
    },
    onBeat: () => {
      if (attempts.size + loads > 0) beat()
    },
  })

  const beat = () => say({ kind: 'beat', left: attempts.left, heard })

  /** Confirms what has arrived: before it begins, because it may block the process, unless beats follow anyway. */
  const hear = (batch: readonly ToHost[]): void => {
    const count = batch.filter(({ kind }) => kind === 'load' || kind === 'call').length
    if (count === 0) return
    heard += count
    beat()
    if (attempts.size + loads === 0) channel.flush()
  }

  const handle = (message: ToHost): void => {
    switch (message.kind) {
      case 'begin':
        return
      case 'load':
        void load(message)
        return
      case 'call':
        attempts.begin(message)
        return
      case 'cancel':
        attempts.cancel(message.id)
        return
      case 'stop':
        stopping = true
        attempts.abortAll('the runtime is stopping')
        stopWhenIdle()
    }
  }

  const load = async ({ bundle, code, sourceMap }: Extract<ToHost, { kind: 'load' }>): Promise<void> => {
    const running: RunningLoad = { kind: 'load', bundle, over: false }
    loads += 1
    try {
      await work.run(running, () => bundles.load({ digest: bundle, code, sourceMap }))
      say({ kind: 'loaded', bundle })
    } catch (error) {
      say({ kind: 'load_failed', bundle, error: describe(error) })
    } finally {
      running.over = true
      loads -= 1
    }
  }

  /** Does not wait for a load, because it is not needed any more. */
  const stopWhenIdle = () => {
    if (!stopping || attempts.size > 0) return
    const end = (): void => {
      endStarted()
      exit(0)
    }
    channel.drain(() => process.stdout.write('', () => process.stderr.write('', end)))
  }

  beat()
  return {
    handle: (batch) =>
      guarded(() => {
        hear(batch)
        for (const message of batch) handle(message)
      }),
  }
}

/** Called on top of the code that blocks the process, so that this code's context is current. */
const blockedBy = (describe: DescribeError): FromHost => {
  const current = work.getStore()
  const stack = framesOf(describe(new Error('blocked')).stack ?? '')
  if (current === undefined || current.over) return { kind: 'blocked', stack }
  return current.kind === 'load'
    ? { kind: 'blocked', bundle: current.bundle, stack }
    : { kind: 'blocked', id: current.request.id, stack }
}

/** Without the message, and without the debugger's own frame. */
const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .slice(1)
    .filter((line) => !line.includes('(eval at ') && !line.includes(' eval '))
    .join('\n')
