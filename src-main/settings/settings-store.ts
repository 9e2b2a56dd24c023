// The settings and their file.

import type { Logger } from 'pino'
import { putAside, readJsonFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import { DEFAULT_SETTINGS, readSettings, type Settings } from './settings.ts'

export type SettingsStore = {
  get(): Settings
  /** Stores the change before it calls the listeners. Throws, without a change, if it cannot store it. */
  change(patch: Partial<Settings>): Settings
  onChange(listener: (settings: Settings, before: Settings) => void): void
}

export const openSettings = (file: string, log: Logger): SettingsStore => {
  const listeners: ((settings: Settings, before: Settings) => void)[] = []
  let settings = load(file, log)
  return {
    get: () => settings,
    change: (patch) => {
      const before = settings
      const changed = { ...before, ...patch }
      writeJsonFile(file, changed)
      settings = changed
      for (const listener of listeners) listener(changed, before)
      return changed
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

const load = (file: string, log: Logger): Settings => {
  try {
    return readSettings(readJsonFile(file))
  } catch (error) {
    log.warn({ err: error, file }, 'the settings cannot be read; the file is renamed, and the defaults are used')
    putAside(file)
    return DEFAULT_SETTINGS
  }
}
