// Runs the state machine of updates: schedules checks, asks before a restart, and gives each wait a deadline. Where updates
// come from, and how they are installed, is behind `UpdateSource`.

import type { Logger } from 'pino'
import type { Cancel, Clock } from '../../src-runtime/shared/clock.ts'
import type { Update, UpdateChannel, Updates, UpdateState } from '../preload/desktop-api.ts'
import { RefusedError } from '../refused-error.ts'
import type { Settings } from '../settings/settings.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { NOT_CLOSED, NOTHING_ARRIVED, problemOf, TOO_SLOW } from './update-problems.ts'
import type { Activity, RestartAnswer } from './restart-question.ts'
import { decide, initialModel, installable, type UpdateAction, type UpdateEvent } from './update-machine.ts'

export type Progress = Omit<Extract<UpdateEvent, { kind: 'progress' }>, 'kind'>

export type UpdateSource = {
  check(channel: UpdateChannel): Promise<{ readonly newest: string; readonly update: Update | null }>
  /** Loads what the last check found, and verifies it. */
  download(onProgress: (progress: Progress) => void): Promise<void>
  /** Ends what is under way, which then rejects. */
  abort(): void
  /** Ends the app. `onFailed`: it goes on. */
  restart(onFailed: (error: unknown) => void): void
  /** Called once the user has agreed to an install when the app ends. */
  prepareInstallOnQuit(onFailed: (error: unknown) => void): void
  /**
   * The last thing that the app does, if it ends to install the update, or ends with one that is to be installed. False if nothing
   * starts the app, though `startsAgain`.
   */
  install(startsAgain: boolean): Promise<boolean>
}

export type UpdateControl = {
  get(): Updates
  check(): void
  download(): void
  cancelDownload(): void
  restart(): Promise<void>
  onChange(listener: (updates: Updates) => void): void
  /** Begins the checks that nobody asks for. */
  schedule(): void
  /**
   * Call it when everything else has stopped. `startsAgain`: the user wants the app again. False if no installer starts it.
   * Rejects if the update is not installed.
   */
  atEnd(startsAgain: boolean): Promise<boolean>
}

type Parts = {
  /** Why there are no updates. */
  readonly off: string | null
  readonly ownVersion: string
  readonly source: UpdateSource
  readonly settings: Pick<SettingsStore, 'get' | 'change' | 'onChange'>
  readonly activity: () => Promise<Activity>
  readonly ask: (update: Update, activity: Activity) => Promise<RestartAnswer>
  readonly clock: Clock
  readonly log: Logger
}

/** The window and the runtime come first. */
export const FIRST_CHECK_MS = 5_000
const LOOK_INTERVAL_MS = 60 * 60_000
const CHECK_INTERVAL_MS = 24 * LOOK_INTERVAL_MS
const CHECK_LIMIT_MS = 60_000
/** A download without progress, or an app that should have ended. */
const IDLE_LIMIT_MS = 60_000
const ACTIVITY_LIMIT_MS = 5_000

export const createUpdates = (parts: Parts): UpdateControl => {
  const { source, settings, clock, log } = parts
  let model = initialModel(parts.off === null ? { kind: 'idle' } : { kind: 'off', reason: parts.off })
  let tasks = 0
  let lastTask = Promise.resolve()
  let attemptedAt = 0
  let isAsking = false
  const listeners: ((updates: Updates) => void)[] = []

  const get = (): Updates => ({
    state: model.state,
    ownVersion: parts.ownVersion,
    checkedAt: isoOrNull(settings.get().updatesCheckedAt),
    quietProblem: model.quietProblem,
  })

  const dispatch = (event: UpdateEvent): void => {
    const { model: next, actions } = decide(model, event)
    const hasChanged = next !== model
    model = next
    for (const action of actions) perform(action)
    if (hasChanged) for (const listener of listeners) listener(get())
  }

  /** One task at a time; the outcome of a replaced one is dropped. `work` says how its failure is reported. */
  const run = (work: (isCurrent: () => boolean) => Promise<UpdateEvent>): void => {
    tasks += 1
    const own = tasks
    const isCurrent = (): boolean => own === tasks
    lastTask = lastTask.then(async () => {
      if (!isCurrent()) return
      const event = await work(isCurrent)
      if (isCurrent()) dispatch(event)
    })
  }

  const abort = (): void => {
    tasks += 1
    source.abort()
  }

  const check = async (): Promise<UpdateEvent> => {
    attemptedAt = clock.now()
    try {
      const deadline = createDeadline(clock, CHECK_LIMIT_MS, TOO_SLOW)
      const { newest, update } = await deadline.guard(source.check(settings.get().updateChannel), source.abort)
      remember(settings, clock.now(), log)
      return { kind: 'checked', newest, update }
    } catch (error) {
      log.warn({ err: error }, 'the check for updates failed')
      return { kind: 'check_failed', problem: problemOf(error, 'check') }
    }
  }

  const download = async (isCurrent: () => boolean): Promise<UpdateEvent> => {
    try {
      const deadline = createDeadline(clock, IDLE_LIMIT_MS, NOTHING_ARRIVED)
      const loading = source.download((progress) => {
        if (!isCurrent()) return
        deadline.extend()
        dispatch({ kind: 'progress', ...progress })
      })
      await deadline.guard(loading, source.abort)
      return { kind: 'downloaded' }
    } catch (error) {
      if (isCurrent()) log.warn({ err: error }, 'the download of the update failed')
      return { kind: 'download_failed', problem: problemOf(error, 'download') }
    }
  }

  const installFailed = (error: unknown): void => {
    log.error({ err: error }, 'the update was not installed')
    dispatch({ kind: 'install_failed', problem: problemOf(error, 'install') })
  }

  const restartApp = (): void => {
    const stop = clock.after(IDLE_LIMIT_MS, () => {
      source.abort()
      installFailed(new Error(NOT_CLOSED))
    })
    source.restart((error) => {
      stop()
      installFailed(error)
    })
  }

  const perform = (action: UpdateAction): void => {
    switch (action) {
      case 'check':
        return run(check)
      case 'download':
        return run(download)
      case 'cancel_download':
        return abort()
      case 'restart':
        return restartApp()
      case 'prepare_install_on_quit':
        return source.prepareInstallOnQuit(installFailed)
    }
  }

  const look = (): void => {
    // At the start of a session, the network may not be there yet.
    const hasFailed = model.quietProblem !== null
    // The clock may have been set back.
    const isDue = attemptedAt === 0 || hasFailed || Math.abs(clock.now() - attemptedAt) >= CHECK_INTERVAL_MS
    if (isDue && settings.get().checkForUpdates) dispatch({ kind: 'check_asked', by: 'schedule' })
    clock.after(LOOK_INTERVAL_MS, look)
  }

  settings.onChange((now: Settings, before: Settings) => {
    if (now.updateChannel !== before.updateChannel) dispatch({ kind: 'channel_changed' })
  })

  return {
    get,
    check: () => dispatch({ kind: 'check_asked', by: 'user' }),
    download: () => dispatch({ kind: 'download_asked' }),
    cancelDownload: () => dispatch({ kind: 'cancel_asked' }),
    restart: async () => {
      const update = installable(model.state)
      if (update === null) throw new RefusedError('not_ready', 'No update is ready to be installed.')
      if (isAsking) return
      isAsking = true
      try {
        const answer = await answerOf(update, parts)
        if (answer === 'now') dispatch({ kind: 'restart_confirmed' })
        if (answer === 'on-quit') dispatch({ kind: 'install_on_quit_chosen' })
      } finally {
        isAsking = false
      }
    },
    onChange: (listener) => void listeners.push(listener),
    schedule: () => {
      if (model.state.kind !== 'off') clock.after(FIRST_CHECK_MS, look)
    },
    atEnd: async (startsAgain) => {
      const how = installAtEnd(model.state)
      return how !== null && (await source.install(startsAgain || how === 'starts-again'))
    },
  }
}

/** Whoever has nothing running is not asked again: the button says what it does. */
const answerOf = async (update: Update, { activity, ask, clock, log }: Parts): Promise<RestartAnswer> => {
  const deadline = createDeadline(clock, ACTIVITY_LIMIT_MS, 'the runtime does not answer')
  const now = await deadline
    .guard(activity(), () => undefined)
    .catch((error: unknown): Activity => {
      log.warn({ err: error }, 'the runtime did not say what runs')
      return { kind: 'unknown' }
    })
  return now.kind === 'idle' ? 'now' : ask(update, now)
}

const installAtEnd = (state: UpdateState): 'starts-again' | 'ends' | null => {
  if (state.kind === 'restarting') return 'starts-again'
  return state.kind === 'ready' && state.installsOnQuit ? 'ends' : null
}

const isoOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const remember = (settings: Pick<SettingsStore, 'change'>, at: number, log: Logger): void => {
  try {
    settings.change({ updatesCheckedAt: at })
  } catch (error) {
    log.warn({ err: error }, 'the time of the check for updates was not stored')
  }
}

/** Rejects what takes longer than `ms` since its start or the last `extend`, and then calls `abort`. */
const createDeadline = (clock: Clock, ms: number, problem: string) => {
  let late: (error: Error) => void = () => undefined
  let stop: Cancel = () => undefined
  const extend = (): void => {
    stop()
    stop = clock.after(ms, () => late(new Error(problem)))
  }
  return {
    extend,
    guard: async <Result>(work: Promise<Result>, abort: () => void): Promise<Result> => {
      const limit = new Promise<never>((_resolve, reject) => {
        late = (error) => {
          reject(error)
          abort()
        }
      })
      extend()
      try {
        return await Promise.race([work, limit])
      } finally {
        stop()
        // It may still end, and nobody waits for it.
        work.catch(() => undefined)
      }
    },
  }
}
