import { EventEmitter } from 'node:events'
import type { PowerMonitor, PowerSaveBlocker } from 'electron'
import { emulate, type Part } from '../emulate.ts'

/** On Linux, Electron asks the system to tell of a shutdown once `shutdown` is listened for, but not if that is listened for first. */
let tellsOfShutdown = process.platform !== 'linux'

/** A machine that never sleeps; tests emit `suspend`, `resume` and `shutdown`. */
class StandInPowerMonitor extends EventEmitter implements Part<PowerMonitor> {
  constructor() {
    super()
    this.once('newListener', () =>
      this.on('newListener', (event) => {
        if (event === 'shutdown') tellsOfShutdown = true
      }),
    )
  }
  override emit(event: string, ...given: unknown[]): boolean {
    return (event !== 'shutdown' || tellsOfShutdown) && super.emit(event, ...given)
  }
  readonly onBatteryPower = false
  isOnBatteryPower(): boolean {
    return false
  }
  getSystemIdleState(): 'active' {
    return 'active'
  }
  getSystemIdleTime(): number {
    return 0
  }
}

export const powerMonitor = emulate<PowerMonitor>()('powerMonitor', new StandInPowerMonitor())

const blockers = new Set<number>()
let made = 0

export const powerSaveBlocker = emulate<PowerSaveBlocker>()('powerSaveBlocker', {
  start() {
    blockers.add(++made)
    return made
  },
  stop: (id) => blockers.delete(id),
  isStarted: (id) => blockers.has(id),
})
