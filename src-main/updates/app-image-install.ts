// Puts a downloaded AppImage in the place of the running one, and starts it. In place of AppImageUpdater's own install, which
// removes the old app first, so that none is left if the disk is full then, and which drops the command line.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { AppImageUpdater } from 'electron-updater'
import { flushFile } from '../../src-runtime/shared/flush-file.ts'
import { optionsAgain } from '../lifecycle/own-command.ts'
import { startDetached } from '../lifecycle/start-again.ts'

/** The same updater with that install. */
export const withSafeInstall = (Updater: typeof AppImageUpdater): typeof AppImageUpdater =>
  class extends Updater {
    protected override doInstall({ isForceRunAfter }: { readonly isForceRunAfter: boolean }): boolean {
      const { installerPath } = this
      const { APPIMAGE: old = '' } = process.env
      if (installerPath === null || !isAbsolute(old)) throw new Error('there is no AppImage to be replaced')
      const file = replaceAppImage(old, installerPath)
      if (file !== old) this.emit('appimage-filename-updated', file)
      start(file, isForceRunAfter)
      return true
    }
  }

/** Answers the new file's path. If it throws, the old file is as it was. */
export const replaceAppImage = (old: string, downloaded: string): string => {
  const target = join(dirname(old), HAS_VERSION.test(basename(old)) ? basename(downloaded) : basename(old))
  moveTo(downloaded, target)
  if (target !== old) rmSync(old, { force: true })
  return target
}

/** A file whose name has no version was named by the user. */
const HAS_VERSION = /\d+\.\d+\.\d+/

const moveTo = (from: string, to: string): void => {
  flushFile(from)
  try {
    return renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  const beside = `${to}.part`
  try {
    copyFileSync(from, beside)
    chmodSync(beside, 0o755)
    flushFile(beside)
    renameSync(beside, to)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
  rmSync(from, { force: true })
}

const start = (file: string, startsAgain: boolean): void => {
  const env = { ...process.env, APPIMAGE_SILENT_INSTALL: 'true' }
  if (!startsAgain) return void execFileSync(file, [], { env: { ...env, APPIMAGE_EXIT_AFTER_INSTALL: 'true' } })
  try {
    startDetached(file, optionsAgain(process.argv), env)
  } catch (error) {
    throw new Error(`the new version is installed, but could not be started: ${file}`, { cause: error })
  }
}
