import { EventEmitter } from 'node:events'
import type { Display, Screen } from 'electron'
import { emulate, type Part } from '../emulate.ts'

/** The only display, also used for headless Chromium. */
export const DISPLAY_SIZE = { width: 1280, height: 800 }

const bounds = { x: 0, y: 0, ...DISPLAY_SIZE }

export const display = emulate<Display>()('display', {
  id: 1,
  label: 'Stand-in',
  bounds,
  workArea: bounds,
  size: DISPLAY_SIZE,
  workAreaSize: DISPLAY_SIZE,
  scaleFactor: 1,
  rotation: 0 as const,
  internal: false,
})

class StandInScreen extends EventEmitter implements Part<Screen> {
  getPrimaryDisplay(): Display {
    return display
  }
  getAllDisplays(): Display[] {
    return [display]
  }
  getDisplayMatching(): Display {
    return display
  }
  getDisplayNearestPoint(): Display {
    return display
  }
}

export const screen = emulate<Screen>()('screen', new StandInScreen())
