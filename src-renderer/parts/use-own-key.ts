// An idempotency key for what a form sends: a request whose answer was lost can be sent again without effect.

import { useRef } from 'react'

export type OwnKey = {
  /** The same for the same request, until it is `spent`. */
  of(request: readonly unknown[]): string
  /** The request was answered: the same one again is another. */
  spent(): void
}

export const useOwnKey = (): OwnKey => {
  const last = useRef({ request: '', key: '' })
  return {
    of: (request) => {
      const told = JSON.stringify(request)
      if (last.current.request !== told) last.current = { request: told, key: crypto.randomUUID() }
      return last.current.key
    },
    spent: () => {
      last.current = { request: '', key: '' }
    },
  }
}
