// The key that a runtime with a token gives to this page in a browser. It is stored for this origin, which is one port.

import { useSyncExternalStore } from 'react'

const STORED = 'wes-session'

/** What the runtime said of a link that it refused. */
let refusal: string | undefined
const listeners = new Set<() => void>()

const setRefusal = (message: string | undefined): void => {
  refusal = message
  for (const listener of listeners) listener()
}

/** Calls back when a link is refused and this page has no session of an earlier link. */
export const onLinkRefused = (listener: (message: string) => void): void => {
  listeners.add(() => {
    if (refusal !== undefined && !hasSession()) listener(refusal)
  })
}

/** Why the link that was opened last gave this page no session. */
export const useLinkRefusal = (): string | undefined => useSyncExternalStore(onRefusal, () => refusal)

const onRefusal = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Sends the key, if there is one, with every request. */
export const fetchWithSession: typeof fetch = (input, init) => {
  const key = storedKey()
  if (key === null) return fetch(input, init)
  const headers = new Headers(init?.headers)
  headers.set('x-wes-session', key)
  return fetch(input, { ...init, headers })
}

/** A link to the page that is already open changes only the fragment, so the browser does not load the page again. */
export const openLaterSessions = (): void => {
  window.addEventListener('hashchange', () => {
    void openSession().then((isOpened) => isOpened && window.location.reload())
  })
}

/** Exchanges the code in the address for a key, and removes the code from the address. False when there is no new key. */
export const openSession = async (): Promise<boolean> => {
  const code = /^#code=([\w-]+)$/.exec(window.location.hash)?.[1]
  if (code === undefined) return false
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  try {
    const answer = await fetch('/local/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    const { key, error } = (await answer.json()) as {
      readonly key?: unknown
      readonly error?: { readonly message?: unknown }
    }
    if (!answer.ok || typeof key !== 'string') {
      setRefusal(typeof error?.message === 'string' ? error.message : undefined)
      return false
    }
    setRefusal(undefined)
    localStorage.setItem(STORED, key)
    return true
  } catch {
    // The runtime then refuses requests, and says how to get a new link.
    return false
  }
}

/** Whether this page was opened by a link, perhaps of an earlier run. */
export const hasSession = (): boolean => storedKey() !== null

/** The browser may block storage. */
const storedKey = (): string | null => {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}
