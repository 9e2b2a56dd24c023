// Sessions other than that of pages, for requests of main only: which of them may load, and the end of all at once.

import { EventEmitter } from 'node:events'
import type { OnBeforeRequestListenerDetails, Session, WebRequest } from 'electron'
import { emulate, type Part } from '../emulate.ts'
import { app } from './app.ts'

type Listener = (
  details: OnBeforeRequestListenerDetails,
  callback: (response: { readonly cancel?: boolean }) => void,
) => void

/** What requests need of their session. */
type Requests = { readonly running: Set<() => void>; listener: Listener | null }

/** Chromium loads dictionaries of these languages; at first of the system's. */
export const createSpelling = () => {
  let languages: readonly string[] = app.getPreferredSystemLanguages()
  return { get: (): string[] => [...languages], set: (given: string[]): void => void (languages = given) }
}

class Partition extends EventEmitter implements Part<Session> {
  readonly #requests: Requests
  readonly #spelling = createSpelling()
  readonly setSpellCheckerLanguages = this.#spelling.set
  readonly getSpellCheckerLanguages = this.#spelling.get
  readonly webRequest: WebRequest
  constructor(requests: Requests) {
    super()
    this.#requests = requests
    this.webRequest = emulate<WebRequest>()('webRequest', {
      onBeforeRequest: (listener: unknown) => void (requests.listener = listener as Listener | null),
    })
  }
  async closeAllConnections(): Promise<void> {
    for (const end of this.#requests.running) end()
  }
  // Requests of main need no permissions, so these are never called.
  setPermissionRequestHandler(): void {}
  setPermissionCheckHandler(): void {}
  setDevicePermissionHandler(): void {}
}

const partitions = new Map<string, Session>()
const requestsOf = new WeakMap<Session, Requests>()

export const fromPartition = (name: string): Session => {
  const existing = partitions.get(name)
  if (existing !== undefined) return existing
  const requests: Requests = { running: new Set(), listener: null }
  const session = emulate<Session>()('session', new Partition(requests))
  partitions.set(name, session)
  requestsOf.set(session, requests)
  app.emit('session-created', session)
  return session
}

/** Whether a request is blocked; otherwise `end` is called when all requests of the session end, until the answer is called. */
export const beginIn = (session: Session | undefined, url: string, end: () => void): 'blocked' | (() => void) => {
  const requests = session === undefined ? undefined : requestsOf.get(session)
  if (requests === undefined) return () => undefined
  let isBlocked = false
  // Ours answer at once.
  requests.listener?.({ url } as OnBeforeRequestListenerDetails, ({ cancel = false }) => (isBlocked = cancel))
  if (isBlocked) return 'blocked'
  requests.running.add(end)
  return () => void requests.running.delete(end)
}
