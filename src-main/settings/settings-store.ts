// The settings and their file.

import type { Logger } from 'pino'
import { type JsonFileFault, putAside, readFormedFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import { notStored } from '../refused-error.ts'
import { DEFAULT_SETTINGS, readSettings, type Settings } from './settings.ts'

export type SettingsStore = {
  get(): Settings
  /**
   * Stores the change before it calls the listeners. Throws, without a change, if it cannot store it. If the file could not be
   * read at the start, changes are for this run only.
   */
  change(patch: Partial<Settings>): Settings
  onChange(listener: (settings: Settings, before: Settings) => void): void
}

export const openSettings = (file: string, log: Logger): SettingsStore => {
  const listeners: ((settings: Settings, before: Settings) => void)[] = []
  const loaded = load(file, log)
  let { settings } = loaded
  return {
    get: () => settings,
    change: (patch) => {
      const before = settings
      const changed = { ...before, ...patch }
      // A file that is there and was not read may have everything that the user chose.
      if (loaded.fault !== 'unread') store(file, changed)
      settings = changed
      for (const listener of listeners) listener(changed, before)
      return changed
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

const store = (file: string, settings: Settings): void => {
  try {
    writeJsonFile(file, settings)
  } catch (error) {
    throw notStored('The settings', file, error)
  }
}

const NOTES: Readonly<Record<JsonFileFault, string>> = {
  damaged: 'the settings are damaged; the file is renamed, and the defaults are used',
  unread:
    'the settings cannot be read; the file stays as it is, and the defaults and all changes are for this run only',
}

const load = (file: string, log: Logger): { readonly settings: Settings; readonly fault?: JsonFileFault } => {
  const read = readFormedFile(file, (content) => typeof content === 'object' && content !== null)
  if (!('fault' in read)) return { settings: readSettings(read.content) }
  const { fault, error } = read
  log.warn({ err: error, file }, NOTES[fault])
  if (fault === 'damaged') putAside(file)
  return { settings: DEFAULT_SETTINGS, fault }
}
