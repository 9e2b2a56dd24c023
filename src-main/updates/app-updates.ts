// The app's updates: finds out whether this copy updates itself, and connects the parts.

import { app } from 'electron'
import { accessSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createClient } from '../../src-sdk/create-client.ts'
import { type Dialogs, showErrorBox } from '../dialogs.ts'
import type { LaunchEnvironment } from '../launch-environment.ts'
import { setLoginItem, startsAtLogin } from '../lifecycle/login-item.ts'
import { fetchThrough } from '../page/fetch-through.ts'
import type { Forward } from '../page/forward.ts'
import { EFFECTS_GRACE_MS } from '../runtime-switch/own-runtime.ts'
import type { RuntimeSwitch } from '../runtime-switch/runtime-switch.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { createElectronSource } from './electron-source.ts'
import { activityOf, restartQuestion, type Activity } from './restart-question.ts'
import { whyNoUpdates } from './self-updating.ts'
import { readFeed, type UpdateFeed } from './update-feed.ts'
import { problemOf } from './update-problems.ts'
import { createUpdates, type UpdateControl, type UpdateSource } from './updates.ts'

export const createAppUpdates = (parts: {
  readonly environment: LaunchEnvironment
  readonly settings: SettingsStore
  readonly runtimeSwitch: RuntimeSwitch
  readonly forward: Forward
  readonly askRestart: Dialogs['askRestart']
  readonly log: Logger
}): UpdateControl => {
  const { environment, settings, runtimeSwitch, forward, askRestart, log } = parts
  const feed = feedOf(environment, log)
  const onMoved = (file: string): void => {
    process.env['APPIMAGE'] = file
    if (startsAtLogin()) setLoginItem(true)
  }
  const updates = createUpdates({
    off: whyOff(environment, feed),
    ownVersion: app.getVersion(),
    source: feed === null ? NO_SOURCE : createElectronSource({ feed, configFile: configFile(), onMoved, log }),
    settings,
    activity: async (): Promise<Activity> => {
      const state = runtimeSwitch.state()
      // One that another process started goes on.
      if (state.kind !== 'ready' || !state.owned) return { kind: 'idle' }
      const fetch = fetchThrough(forward)
      return activityOf((projectId) => createClient({ url: 'http://localhost', fetch, projectId }))
    },
    ask: (update, activity) => askRestart(restartQuestion(update, activity, EFFECTS_GRACE_MS)),
    clock: systemClock,
    log,
  })
  return { ...updates, atEnd: (startsAgain) => installOrTell(updates, startsAgain, log) }
}

/** A checkout has a feed only in tests. */
const feedOf = ({ updateFeed }: LaunchEnvironment, log: Logger): UpdateFeed | null => {
  if (!app.isPackaged) return updateFeed === undefined ? null : { provider: 'generic', url: updateFeed }
  try {
    return readFeed(app.getAppPath())
  } catch (error) {
    log.warn({ err: error }, 'the package does not say where its updates are')
    return null
  }
}

const configFile = (): string | undefined =>
  app.isPackaged ? undefined : join(app.getPath('userData'), 'app-update.yml')

const whyOff = ({ noUpdates }: LaunchEnvironment, feed: UpdateFeed | null): string | null =>
  whyNoUpdates({
    platform: process.platform,
    env: process.env,
    isPackaged: app.isPackaged,
    hasFeed: feed !== null,
    noUpdates: noUpdates === true,
    execPath: process.execPath,
    packageType: packageType(),
    isFromStore: (process as { readonly mas?: boolean }).mas === true || process.windowsStore,
    mayWrite,
  })

const packageType = (): string | null => {
  try {
    return readFileSync(join(process.resourcesPath, 'package-type'), 'utf8').trim()
  } catch {
    return null
  }
}

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const NO_SOURCE: UpdateSource = {
  check: () => Promise.reject(new Error('there are no updates')),
  download: () => Promise.reject(new Error('there are no updates')),
  abort: () => undefined,
  restart: () => undefined,
  prepareInstallOnQuit: () => undefined,
  install: () => Promise.resolve(false),
}

const installOrTell = async (updates: UpdateControl, startsAgain: boolean, log: Logger): Promise<boolean> => {
  try {
    return await updates.atEnd(startsAgain)
  } catch (error) {
    log.error({ err: error }, 'the update was not installed')
    showErrorBox('The update was not installed', problemOf(error, 'install'))
    return false
  }
}
