// The settings and their file.

import type { Logger } from 'pino'
import { putAside, readFormedFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
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
  /** Why the file was not used at the start, for the user. */
  readonly fault: string | undefined
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
      if (loaded.mayBeStored) store(file, changed)
      settings = changed
      for (const listener of listeners) listener(changed, before)
      return changed
    },
    onChange: (listener) => void listeners.push(listener),
    fault: loaded.fault,
  }
}

const store = (file: string, settings: Settings): void => {
  try {
    writeJsonFile(file, settings)
  } catch (error) {
    throw notStored('The settings', file, error)
  }
}

type Loaded = { readonly settings: Settings; readonly mayBeStored: boolean; readonly fault?: string }

const load = (file: string, log: Logger): Loaded => {
  const read = readFormedFile(file, (content) => typeof content === 'object' && content !== null)
  if (!('fault' in read)) return { settings: readSettings(read.content), mayBeStored: true }
  const isDamaged = read.fault === 'damaged'
  if (isDamaged) putAside(file)
  const fault = isDamaged
    ? `The settings in ${file} are damaged, so the app uses the defaults. The damaged file is kept as ${file}.unreadable.`
    : `The settings in ${file} cannot be read, so the app uses the defaults, and keeps changes for this run only.`
  log.warn({ err: read.error }, fault)
  return { settings: DEFAULT_SETTINGS, mayBeStored: isDamaged, fault }
}
