// Updates by electron-updater: an AppImage, an app of macOS or an installation of Windows. It loads over Chromium's network
// stack, checks each file's SHA-512 against the feed, and on macOS and Windows its signature.

import { app, autoUpdater as squirrel, type AuthInfo } from 'electron'
import type { CancellationToken, Logger as UpdaterLogger, ProgressInfo, UpdateInfo } from 'electron-updater'
import { statfs } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { createProxyLogin, type ProxyLogin } from '../connections/proxy-login.ts'
import { withSafeInstall } from './app-image-install.ts'
import { describeUpdate, fileEnding } from './describe-update.ts'
import { runInstaller } from './run-installer.ts'
import { createSquirrelInstall } from './squirrel-install.ts'
import { mayLoad, type UpdateFeed } from './update-feed.ts'
import type { Progress, UpdateSource } from './updates.ts'

type Parts = {
  readonly feed: UpdateFeed
  /** Instead of the package's `app-update.yml`. */
  readonly configFile?: string | undefined
  /** The AppImage has another name now. */
  readonly onMoved: (file: string) => void
  readonly log: Logger
}

/** The installer of Windows waits until this app has ended. */
const HEAR_MS = 500

const onceQuit = (listener: () => void): void => void app.once('before-quit', listener)

/** Of the package `semver`, which has no types here. */
type Version = { readonly version: string; compare(other: string): number }

export const createElectronSource = (parts: Parts): UpdateSource => {
  const { feed, configFile, onMoved, log } = parts
  const mac = process.platform === 'darwin' ? createSquirrelInstall(squirrel, onceQuit) : undefined
  let opened: ReturnType<typeof open> | undefined
  let updater: Awaited<ReturnType<typeof open>> | undefined
  let loading: CancellationToken | undefined
  let found: UpdateInfo | undefined
  let proxyLogin = createProxyLogin(process.env)

  const open = async () => {
    const { AppImageUpdater, MacUpdater, NsisUpdater } = await import('electron-updater')
    const ForLinux = withSafeInstall(AppImageUpdater)
    const made = mac ? new MacUpdater() : process.platform === 'win32' ? new NsisUpdater() : new ForLinux()
    made.autoDownload = false
    made.autoInstallOnAppQuit = false
    made.disableWebInstaller = true
    made.logger = loggerOf(log)
    // Otherwise each computer sends an id of its own.
    made.requestHeaders = { 'x-user-staging-id': 'none' }
    if (configFile !== undefined) {
      made.forceDevUpdateConfig = true
      made.updateConfigPath = configFile
    }
    made.setFeedURL(feed)
    // Redirects, too.
    made.netSession.webRequest.onBeforeRequest(({ url }, callback) => callback({ cancel: !mayLoad(url, feed) }))
    // It passes on Electron's callback, whose arguments are optional.
    made.signals.login((asked: AuthInfo, answer) => proxyLogin(asked, answer as Parameters<ProxyLogin>[1]))
    made.on('appimage-filename-updated', onMoved)
    updater = made
    return made
  }

  return {
    check: async (channel) => {
      const asked = await (opened ??= open())
      proxyLogin = createProxyLogin(process.env)
      asked.channel = channel
      // Setting a channel allows older versions.
      asked.allowDowngrade = false
      asked.allowPrerelease = channel === 'beta'
      const result = await asked.checkForUpdates()
      if (result === null) throw new Error('this copy of the app cannot be updated')
      found = result.updateInfo
      const update = result.isUpdateAvailable ? describeUpdate(found, process.platform, process.arch) : null
      // A newer one may be for newer systems only, or at first for a part of all computers.
      const own = asked.currentVersion as Version
      return { newest: own.compare(found.version) < 0 ? own.version : found.version, update }
    },
    download: async (onProgress) => {
      const { CancellationToken: Token } = await import('electron-updater')
      const asked = await (opened ??= open())
      if (found !== undefined) await expectRoom(describeUpdate(found, process.platform, process.arch).bytes ?? 0)
      const tell = (progress: ProgressInfo): void => onProgress(progressOf(progress))
      mac?.forget()
      proxyLogin = createProxyLogin(process.env)
      loading = new Token()
      asked.on('download-progress', tell)
      try {
        await asked.downloadUpdate(loading)
      } finally {
        asked.off('download-progress', tell)
        loading = undefined
      }
    },
    abort: () => {
      loading?.cancel()
      mac?.cancelRestart()
      updater?.netSession.closeAllConnections().catch((error: unknown) => log.warn({ err: error }, 'not aborted'))
    },
    restart: (onFailed) => {
      if (mac === undefined) app.quit()
      else mac.restart(onFailed)
    },
    prepareInstallOnQuit: (onFailed) => mac?.prepare(onFailed),
    install: async (startsAgain) => {
      if (mac !== undefined) return mac.atEnd(startsAgain)
      if (updater === undefined || !('install' in updater)) return false
      // The new app may start before this one has ended.
      app.releaseSingleInstanceLock()
      await runInstaller(updater, startsAgain, process.platform === 'win32' ? HEAR_MS : 0)
      return true
    },
  }
}

const progressOf = ({ transferred, total, bytesPerSecond }: ProgressInfo): Progress => ({
  receivedBytes: transferred,
  totalBytes: total,
  bytesPerSecond,
})

/** On another disk than the download, the new AppImage is copied beside the old one. */
const expectRoom = async (bytes: number): Promise<void> => {
  const file = fileEnding(process.platform) === '.AppImage' ? process.env['APPIMAGE'] : undefined
  for (const folder of [homedir(), ...(file === undefined ? [] : [dirname(file)])]) {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < bytes) {
      throw Object.assign(new Error(`${folder} has no room for ${bytes} bytes`), { code: 'ENOSPC' })
    }
  }
}

const LONGEST_LINE = 2_000

const loggerOf = (log: Logger): UpdaterLogger => {
  const line = (said: unknown): string => String(said).slice(0, LONGEST_LINE)
  return {
    info: (said) => log.info({ updater: line(said) }, 'electron-updater'),
    warn: (said) => log.warn({ updater: line(said) }, 'electron-updater'),
    error: (said) => log.warn({ updater: line(said) }, 'electron-updater'),
  }
}
