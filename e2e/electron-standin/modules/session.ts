// The session of pages. Electron calls its permission handlers for each request of a page; Chromium must know the answers
// before, so the handlers are called for every permission when a page loads a new origin, and when they change.

import { EventEmitter } from 'node:events'
import type { Session, WebContents } from 'electron'
import { emulate, type Part } from '../emulate.ts'
import { toChromium } from '../custom-schemes.ts'
import { browserFor, isRunning, schemes } from '../running.ts'
import { net } from './net.ts'
import { createSpelling, fromPartition } from './partition.ts'
import { protocol } from './protocol.ts'

type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>
type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

/** Electron's and Chromium's names. Other permissions do not exist in headless Chromium. */
const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-sanitized-write', 'clipboard-write'],
  ['geolocation', 'geolocation'],
  ['idle-detection', 'idle-detection'],
  ['midi', 'midi'],
  ['notifications', 'notifications'],
  ['storage-access', 'storage-access'],
]

let requestHandler: RequestHandler | null = null
let checkHandler: CheckHandler | null = null
const visited = new Map<string, WebContents>()

/** Call this when a page has loaded `url`. */
export const applyPermissions = (contents: WebContents, url: string): void => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+/i.exec(url)?.[0]
  if (origin === undefined || !isRunning()) return
  visited.set(origin, contents)
  const chromiumOrigin = toChromium(origin, schemes).replace(/\/$/, '')
  for (const [permission, name] of PERMISSIONS) {
    const tell = (granted: boolean) =>
      browserFor('set permissions')
        .setPermission(name, granted, chromiumOrigin)
        .catch(() => {})
    const details = { requestingUrl: url, isMainFrame: true }
    if (checkHandler !== null && !checkHandler(contents, permission, `${origin}/`, details)) void tell(false)
    else if (requestHandler === null) void tell(true)
    else requestHandler(contents, permission, (granted) => void tell(granted), details)
  }
}

const reapply = (): void => {
  for (const [origin, contents] of visited) if (!contents.isDestroyed()) applyPermissions(contents, `${origin}/`)
}

class StandInSession extends EventEmitter implements Part<Session> {
  readonly protocol = protocol
  setPermissionRequestHandler(handler: RequestHandler | null): void {
    requestHandler = handler
    reapply()
  }
  setPermissionCheckHandler(handler: CheckHandler | null): void {
    checkHandler = handler
    reapply()
  }
  /** Headless Chromium has no devices, so this is never called. */
  setDevicePermissionHandler(): void {}
  readonly #spelling = createSpelling()
  readonly setSpellCheckerLanguages = this.#spelling.set
  readonly getSpellCheckerLanguages = this.#spelling.get
  readonly fetch = net.fetch
}

export const defaultSession = emulate<Session>()('session', new StandInSession())

export const session = emulate<Omit<typeof Electron.Session, 'prototype'>>()('session', {
  get defaultSession() {
    if (!isRunning()) throw new Error('Session can only be received when app is ready')
    return defaultSession
  },
  fromPartition: (name: string) => fromPartition(name),
})
