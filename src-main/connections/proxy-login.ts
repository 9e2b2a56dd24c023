// The user name and password for the system's proxy. Chromium takes neither from the system's settings, so both come from
// HTTPS_PROXY, where `wes` reads them, if it names the same proxy.

import type { AuthInfo } from 'electron'
import { namedProxy, portOf, type ProxyEnvironment } from '../../src-runtime/shared/proxied-send.ts'

/** Electron's listener of `login`. Without an answer the request fails. */
export type ProxyLogin = (asked: AuthInfo, answer: (user?: string, password?: string) => void) => void

/** A proxy that asks again does not accept them; several requests of a download may come at the same time. */
const MOST_ANSWERS = 4

/** One per request or download: it answers a few times only, because Chromium asks until it gets no answer. */
export const createProxyLogin = (environment: ProxyEnvironment): ProxyLogin => {
  const proxy = namedProxy(environment)
  let answers = 0
  return ({ isProxy, host, port }, answer) => {
    const isNamed = proxy instanceof URL && proxy.username !== '' && proxy.hostname === host && portOf(proxy) === port
    if (!isProxy || !isNamed || answers >= MOST_ANSWERS) return answer()
    answers += 1
    answer(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password))
  }
}
