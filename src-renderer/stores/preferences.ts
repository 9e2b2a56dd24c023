// The user's preferences, stored in the browser. The desktop app stores the theme.

import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Theme } from '../desktop.ts'
import type { TimeDisplay } from '../parts/format.ts'

type Preferences = {
  readonly theme: Theme
  readonly timeDisplay: TimeDisplay
  readonly railCollapsed: boolean
  /** How history entries show their times. */
  readonly entryTimes: 'clock' | 'since-start'
  /** Width of the pane beside a history, in pixels. */
  readonly entryPanePx: number
  /** The last project on screen, for addresses that name none; null for the default one. */
  readonly projectId: string | null
  /** The query string of the Executions screen, by connection and project. */
  readonly executionSearch: Readonly<Record<string, string>>
}

export const usePreferences = create<Preferences>()(
  persist(
    (): Preferences => ({
      theme: 'system',
      timeDisplay: 'local',
      railCollapsed: false,
      entryTimes: 'clock',
      entryPanePx: 420,
      projectId: null,
      executionSearch: {},
    }),
    { name: 'wes-preferences', version: 1 },
  ),
)

const root = document.documentElement
const showTheme = ({ theme }: Preferences) => {
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
}
showTheme(usePreferences.getState())
usePreferences.subscribe(showTheme)
