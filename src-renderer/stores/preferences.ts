// What the person at this screen prefers. Kept by the browser; the desktop app keeps the theme.

import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Theme } from '../desktop.ts'
import type { TimeDisplay } from '../parts/format.ts'

type Preferences = {
  readonly theme: Theme
  readonly timeDisplay: TimeDisplay
  readonly railCollapsed: boolean
  /** How the entries of a history say when they were. */
  readonly entryTimes: 'clock' | 'since-start'
  /** Width of the pane beside a history, in pixels. */
  readonly entryPanePx: number
  /** The project that was looked at last, for addresses that name none; null: the default one. */
  readonly projectId: string | null
  /** The search of the Executions screen, by connection and project. */
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
