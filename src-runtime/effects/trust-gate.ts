// Effects run only while their folder is trusted. Attempts of a folder that is not, or no longer, wait: they begin, again
// as the same attempt, once it is.

import type { Logger } from 'pino'
import type { EffectCall, EffectOutcome } from './effect-performer.ts'
import { cancelled } from './failures.ts'

export type TrustGate = {
  /** `run` is called while the folder is trusted; its call's signal aborts when it no longer is. */
  whileTrusted(
    folder: string,
    call: EffectCall,
    run: (call: EffectCall) => Promise<EffectOutcome>,
  ): Promise<EffectOutcome>
  stop(): void
}

/** The list is changed by other processes as well. Attempts of a watched folder rely on the last look. */
const LOOK_EVERY_MS = 250

/** `look` is called when the folder's trust may have changed. */
type Entry = { readonly folder: string; readonly look: (isTrusted: boolean) => void }

export const createTrustGate = (deps: {
  readonly isTrusted: (folder: string) => boolean
  /** Whether the folder has processes. They outlive its effects for a while. */
  readonly hasProcesses: (folder: string) => boolean
  /** Ends the processes of a folder. */
  readonly onDistrusted: (folder: string) => void
  readonly log: Logger
}): TrustGate => {
  const { isTrusted, hasProcesses, onDistrusted, log } = deps
  const entries = new Set<Entry>()
  /** Folders of the entries, and those that may still have processes: whether the last look found them trusted. */
  const watched = new Map<string, boolean>()
  /** Folders that the log has said are not trusted. Thousands of effects may wait for one. */
  const reported = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const lookAtAll = (): void => {
    const byFolder = Map.groupBy(entries, (entry) => entry.folder)
    for (const folder of watched.keys()) {
      const trusted = isTrusted(folder)
      watched.set(folder, trusted)
      for (const { look } of byFolder.get(folder) ?? []) look(trusted)
      if (trusted) reported.delete(folder)
      else onDistrusted(folder)
      if (!byFolder.has(folder) && !hasProcesses(folder)) watched.delete(folder)
    }
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const watch = (entry: Entry, trusted: boolean): (() => void) => {
    entries.add(entry)
    watched.set(entry.folder, trusted)
    if (!stopped) timer ??= setInterval(lookAtAll, LOOK_EVERY_MS).unref()
    return () => void entries.delete(entry)
  }

  const untilTrusted = (folder: string, { signal }: EffectCall): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        unwatch()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const unwatch = watch({ folder, look: (trusted) => trusted && done() }, false)
      signal.addEventListener('abort', done, { once: true })
    })

  const runOnce = async (folder: string, call: EffectCall, run: (call: EffectCall) => Promise<EffectOutcome>) => {
    const ending = new AbortController()
    let isDistrusted = false
    const end = (): void => ending.abort()
    const look = (trusted: boolean): void => {
      if (trusted) return
      isDistrusted = true
      end()
    }
    const unwatch = watch({ folder, look }, true)
    call.signal.addEventListener('abort', end, { once: true })
    try {
      const outcome = await run({ ...call, signal: ending.signal })
      return isDistrusted && outcome.kind !== 'completed' ? undefined : outcome
    } finally {
      unwatch()
      call.signal.removeEventListener('abort', end)
    }
  }

  return {
    whileTrusted: async (folder, call, run) => {
      for (;;) {
        if (call.signal.aborted) return cancelled(call.name)
        if (watched.get(folder) === true || isTrusted(folder)) {
          const outcome = await runOnce(folder, call, run)
          if (outcome !== undefined) return outcome
          continue
        }
        const wait = `waits: the folder ${folder} is not trusted. Start \`wes dev\` in it, or open it in the desktop app`
        if (!reported.has(folder)) log.warn({ executionId: call.executionId }, `effect ${call.name} ${wait}`)
        reported.add(folder)
        call.onLog({ level: 'warn', message: `The effect ${call.name} ${wait}.` })
        call.onWait?.()
        await untilTrusted(folder, call)
        // The next runtime performs it as the same attempt.
        if (stopped) return new Promise(() => undefined)
      }
    },
    stop: () => {
      stopped = true
      clearInterval(timer)
    },
  }
}
