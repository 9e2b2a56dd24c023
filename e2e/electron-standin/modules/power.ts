import { EventEmitter } from 'node:events'
import type { PowerMonitor, PowerSaveBlocker } from 'electron'
import { emulate, type Part } from '../emulate.ts'

/** A machine that never sleeps; tests emit `suspend`, `resume` and `shutdown`. */
class StandInPowerMonitor extends EventEmitter implements Part<PowerMonitor> {
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
