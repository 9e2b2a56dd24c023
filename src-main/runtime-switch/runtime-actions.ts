// The user's actions on the runtime: stores their choices, and refuses to stop a runtime that the app did not start.

import { messageOf } from '../../src-runtime/shared/message-of.ts'
import { isRefusedPort } from '../../src-runtime/shared/refused-ports.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { RefusedError } from '../refused-error.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { refuseUnlessOwn } from './refuse-unless-own.ts'
import type { RuntimeSwitch } from './runtime-switch.ts'

export type RuntimeActions = {
  state(): RuntimeState
  start(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  usePort(port: number): Promise<void>
  /** The port to start on. */
  port(): number
}

export const createRuntimeActions = (parts: {
  readonly runtimeSwitch: Pick<RuntimeSwitch, 'state' | 'start' | 'stop' | 'restart'>
  readonly settings: SettingsStore
  /** Settles whether the runtime may start on the open folder. */
  readonly ensureTrust: () => Promise<void>
  /** Applies until the user chooses another port. */
  readonly givenPort: number | undefined
  /** To the user. */
  readonly showError: (message: string) => void
}): RuntimeActions => {
  const { runtimeSwitch, settings, ensureTrust, showError } = parts
  let override = parts.givenPort
  /** The settings may be on another disk than the data, and what the user asks for needs only the data. */
  const remember = (runsAtStart: boolean): void => {
    if (settings.get().runsAtStart === runsAtStart) return
    try {
      settings.change({ runsAtStart })
    } catch (error) {
      showError(`${messageOf(error)}. The next start of the app will ${runsAtStart ? 'not ' : ''}start the runtime.`)
    }
  }
  return {
    state: runtimeSwitch.state,
    start: async () => {
      remember(true)
      await ensureTrust()
      await runtimeSwitch.start()
    },
    stop: async () => {
      refuseUnlessOwn(runtimeSwitch.state())
      remember(false)
      await runtimeSwitch.stop()
    },
    restart: async () => {
      refuseUnlessOwn(runtimeSwitch.state())
      remember(true)
      await ensureTrust()
      await runtimeSwitch.restart()
    },
    usePort: async (port) => {
      refuseUnlessOwn(runtimeSwitch.state())
      if (isRefusedPort(port)) {
        throw new RefusedError('port_refused', `Browsers connect to no server on port ${port}: choose another one`)
      }
      settings.change({ port, runsAtStart: true })
      override = undefined
      await ensureTrust()
      await runtimeSwitch.restart()
    },
    port: () => override ?? settings.get().port,
  }
}
