// Addresses of hosted services. Pure.

import { isLoopback } from '../shared/is-loopback.ts'

export type ParsedAddress =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'wrong'; readonly message: string }

/** `https://HOST[:PORT][/PREFIX]`, without a slash at the end; http for this computer only. */
export const parseAddress = (text: string): ParsedAddress => {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:\/\/[^/\\]/i.test(text.trim())) {
    return wrong(
      'An address begins with https://, as https://wes.example.com does, or with http:// for a service on this computer.',
    )
  }
  if (url.username !== '' || url.password !== '') return wrong('An address has no user name and no password.')
  if (/[?#]/.test(text)) return wrong('Leave out everything from ? or # on.')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return wrong(
      'The address must begin with https://, so that the token is encrypted on its way. Only services on this computer may use http://.',
    )
  }
  return { kind: 'address', address: url.origin + url.pathname.replace(/\/+$/, '') }
}

/** Whether it is stored as `parseAddress` gives it. */
export const isAddress = (text: string): boolean => {
  const parsed = parseAddress(text)
  return parsed.kind === 'address' && parsed.address === text
}

const wrong = (message: string): ParsedAddress => ({ kind: 'wrong', message })

/** For messages: the host, with its port if it is not the usual one. */
export const hostOf = (address: string): string => new URL(address).host
