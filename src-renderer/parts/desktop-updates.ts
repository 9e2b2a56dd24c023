// The desktop app's updates; null in a browser, and until they are known.

import { desktop } from '../desktop.ts'
import { createDesktopState } from './desktop-state.ts'

export const useUpdates = createDesktopState(desktop?.updates.get, desktop?.updates.onChange)
