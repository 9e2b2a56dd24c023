// The user's settings. An invalid member counts as not set, so that one invalid member does not affect the others.

import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { realPathOf } from '../../src-runtime/data-directory/trusted-folders.ts'
import { DEFAULT_PORT } from '../../src-runtime/shared/default-port.ts'
import type { DesktopSettings, ProjectFolders } from '../preload/desktop-api.ts'

/** Whether the app starts at login is the system's to know. */
export type Settings = Omit<DesktopSettings, 'startAtLogin'> & {
  readonly projectFolders: ProjectFolders
  /** Whether the runtime starts with the app; the last state is kept. */
  readonly runsAtStart: boolean
  /** The last check for updates that the feed answered, in ms; null if there was none. */
  readonly updatesCheckedAt: number | null
}

const MOST_RECENT = 10
const LONGEST_PATH = 4096

const Folder = Type.String({ minLength: 1, maxLength: LONGEST_PATH })
const NOTIFY = { failed: Type.Boolean(), waitsForMe: Type.Boolean(), finishedAfterAMinute: Type.Boolean() }
export const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

const MEMBERS = {
  theme: Type.Union([Type.Literal('system'), Type.Literal('light'), Type.Literal('dark')]),
  port: Port,
  keepInTray: Type.Boolean(),
  startMinimised: Type.Boolean(),
  notifyWhen: Type.Object(NOTIFY),
  checkForUpdates: Type.Boolean(),
  updateChannel: Type.Union([Type.Literal('latest'), Type.Literal('beta')]),
}

/** The members that the page may change; unknown members are refused. */
export const SettingsPatch = Type.Partial(
  Type.Object({
    ...MEMBERS,
    startAtLogin: Type.Boolean(),
    notifyWhen: Type.Object(NOTIFY, { additionalProperties: false }),
  }),
  { additionalProperties: false },
)
export type SettingsPatch = Static<typeof SettingsPatch>

const OWN_MEMBERS = {
  runsAtStart: Type.Boolean(),
  updatesCheckedAt: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
}

const FoldersMember = Type.Object({
  current: Type.Union([Folder, Type.Null()]),
  recent: Type.Array(Folder, { maxItems: MOST_RECENT }),
})

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  port: DEFAULT_PORT,
  keepInTray: false,
  startMinimised: false,
  notifyWhen: { failed: false, waitsForMe: false, finishedAfterAMinute: false },
  checkForUpdates: true,
  updateChannel: 'latest',
  projectFolders: { current: null, recent: [] },
  runsAtStart: true,
  updatesCheckedAt: null,
}

export const readSettings = (stored: unknown): Settings => {
  if (typeof stored !== 'object' || stored === null) return DEFAULT_SETTINGS
  const given = stored as Readonly<Record<string, unknown>>
  const chosen = Object.entries({ ...MEMBERS, ...OWN_MEMBERS, projectFolders: FoldersMember }).filter(
    ([name, schema]) => Check(schema, given[name]),
  )
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(chosen.map(([name]) => [name, given[name]])) }
}

/** The part that the page sees. */
export const desktopSettings = (
  { projectFolders: _, runsAtStart: __, updatesCheckedAt: ___, ...settings }: Settings,
  startAtLogin: boolean,
): DesktopSettings => ({ ...settings, startAtLogin })

/** Newest first, by their real paths, so that a folder and a link to it are one. The others are not asked: their drives may not answer. */
export const openedFolder = ({ recent }: ProjectFolders, folder: string): ProjectFolders => {
  const real = realPathOf(folder)
  const others = recent.filter((other) => other !== real && other !== folder)
  return { current: folder, recent: [real, ...others].slice(0, MOST_RECENT) }
}

/** Folders that no longer exist are left out. */
export const forgetFolder = ({ current, recent }: ProjectFolders, folder: string): ProjectFolders => ({
  current: current === folder ? null : current,
  recent: recent.filter((other) => other !== folder),
})
