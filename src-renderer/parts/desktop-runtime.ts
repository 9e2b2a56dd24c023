// The state of the desktop app's runtime; null in a browser.

import { desktop } from '../desktop.ts'
import { createDesktopState } from './desktop-state.ts'

export const useDesktopRuntime = createDesktopState(desktop?.runtime.state, desktop?.runtime.onState)
