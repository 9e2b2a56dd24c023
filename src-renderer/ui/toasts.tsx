// Toasts: short notices that disappear by themselves. Show what a user must not miss on the page.

import { useSyncExternalStore } from 'react'

/** What a toast tells of. */
export type Place = { readonly id: string; readonly name: string }

export type Notice = {
  readonly title: string
  readonly description: string | undefined
  /** Named in the toast while the page shows another one. */
  readonly place: Place | undefined
  readonly type?: 'fault'
  readonly priority?: 'high'
  readonly timeout?: number
}

/** Where toasts are shown. */
export type Notices = {
  readonly add: (notice: Notice) => void
  /** Closes those of the place with this id. */
  readonly closeOf: (placeId: string) => void
}

/** Toasts from before the list was loaded. */
let waiting: readonly Notice[] = []
let shown: Notices | undefined

const say = (notice: Notice): void => {
  if (shown === undefined) waiting = [...waiting, notice]
  else shown.add(notice)
}

type About = { readonly detail?: string | undefined; readonly place?: Place }

export const notify = (title: string, { detail, place }: About = {}): void => say({ title, description: detail, place })

export const notifyFault = (title: string, { detail, place }: About = {}): void =>
  say({ title, description: detail, place, type: 'fault', priority: 'high', timeout: 10_000 })

export const closeNoticesOf = (placeId: string): void => {
  waiting = waiting.filter(({ place }) => place?.id !== placeId)
  shown?.closeOf(placeId)
}

/** Sends toasts there from now on, waiting ones first. Returns a function that ends this. */
export const showNotices = (next: Notices): (() => void) => {
  shown = next
  for (const notice of waiting) next.add(notice)
  waiting = []
  return () => {
    if (shown === next) shown = undefined
  }
}

let placeOnScreen: string | undefined
const listeners = new Set<() => void>()

export const notePlaceOnScreen = (id: string): void => {
  placeOnScreen = id
  for (const listener of listeners) listener()
}

export const usePlaceOnScreen = (): string | undefined => useSyncExternalStore(onPlace, () => placeOnScreen)

const onPlace = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
