// The user's preferences, stored in the browser. The desktop app stores the theme.

import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Theme } from '../desktop.ts'
import { HOME, OWN_ID } from '../home.ts'
import { ownMember } from '../own-member.ts'
import type { TimeDisplay } from '../parts/format.ts'
import { keptUnder } from './kept-under.ts'

type Preferences = {
  readonly theme: Theme
  readonly timeDisplay: TimeDisplay
  /** How history entries show their times. */
  readonly entryTimes: 'clock' | 'since-start'
  /** Width of the pane beside a history, in pixels. */
  readonly entryPanePx: number
  /** The last project on screen of each connection (`keptUnder`), for addresses that name none. Default projects are left out. */
  readonly projectIds: Readonly<Record<string, string>>
  /** The query string of the Executions screen, by connection and project. */
  readonly executionSearch: Readonly<Record<string, string>>
}

/** Before version 2 there was one connection, and so one `projectId`. */
const withProjectIds = (stored: unknown): Preferences => {
  const { projectId, ...rest } = stored as Preferences & { readonly projectId?: string | null }
  return { ...rest, projectIds: typeof projectId === 'string' ? { [OWN_ID]: projectId } : {} }
}

/** Before version 3, workspaces of a hosted service shared what is kept by connection. */
const byWorkspace = (stored: Preferences): Preferences =>
  HOME === 'hosted' ? { ...stored, projectIds: {}, executionSearch: {} } : stored

const STORED_AS = 'wes-preferences'

export const usePreferences = create<Preferences>()(
  persist(
    (): Preferences => ({
      theme: 'system',
      timeDisplay: 'local',
      entryTimes: 'clock',
      entryPanePx: 420,
      projectIds: {},
      executionSearch: {},
    }),
    {
      name: STORED_AS,
      version: 3,
      migrate: (stored, version) => byWorkspace(version < 2 ? withProjectIds(stored) : (stored as Preferences)),
    },
  ),
)

// Each tab stores all preferences, so it takes over what another one changed.
window.addEventListener('storage', ({ key }) => {
  if (key === STORED_AS) void usePreferences.persist.rehydrate()
})

export const rememberedProject = (connection: string): string =>
  ownMember(usePreferences.getState().projectIds, keptUnder(connection)) ?? 'default'

/** null: the default project. Does not write what is stored already: that would undo what another tab changes just then. */
export const rememberProject = (connection: string, projectId: string | null): void => {
  if (rememberedProject(connection) === (projectId ?? 'default')) return
  const name = keptUnder(connection)
  usePreferences.setState(({ projectIds }) => ({
    projectIds: { ...without(projectIds, name), ...(projectId !== null && { [name]: projectId }) },
  }))
}

/** A later connection with the same id may be another service. */
export const forgetConnection = (connection: string): void => {
  const name = keptUnder(connection)
  usePreferences.setState(({ projectIds, executionSearch }) => ({
    projectIds: without(projectIds, name),
    executionSearch: Object.fromEntries(
      Object.entries(executionSearch).filter(([place]) => !place.startsWith(`${name}/`)),
    ),
  }))
}

const without = (entries: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(entries).filter(([other]) => other !== name))

const root = document.documentElement
const showTheme = ({ theme }: Preferences) => {
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
}
showTheme(usePreferences.getState())
usePreferences.subscribe(showTheme)
