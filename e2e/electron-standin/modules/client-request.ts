// `net.request`, with Node's HTTP instead of Chromium's: without proxies, certificate stores, cookies and a cache. Redirects
// are handled as in Electron: `manual` tells of one, and cancels the request unless the listener follows it.

import { EventEmitter } from 'node:events'
import { request as httpRequest, type ClientRequest as NodeRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ClientRequest, ClientRequestConstructorOptions } from 'electron'
import { notEmulated, type Part } from '../emulate.ts'

/** Of Node's errors; Electron's have Chromium's names. */
const NAMES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  ENOTFOUND: 'ERR_NAME_NOT_RESOLVED',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'ERR_CERT_AUTHORITY_INVALID',
}

class StandInClientRequest extends EventEmitter implements Part<ClientRequest> {
  readonly #outgoing: NodeRequest
  readonly #redirect: 'follow' | 'error' | 'manual'
  readonly #url: URL
  #aborted = false
  #answer: IncomingMessage | undefined

  constructor(options: ClientRequestConstructorOptions | string) {
    super()
    const {
      url,
      method = 'GET',
      headers = {},
      redirect = 'follow',
    } = typeof options === 'string' ? { url: options } : options
    if (url === undefined) throw notEmulated('net.request without a url')
    this.#url = new URL(url)
    if (!/^https?:$/.test(this.#url.protocol)) throw new Error('ClientRequest only supports http: and https: protocols')
    this.#redirect = redirect
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
    this.#outgoing = send(this.#url, { method, headers })
    this.#outgoing.on('response', (answer) => this.#answered(answer))
    this.#outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#aborted) this.emit('error', new Error(`net::${NAMES[error.code ?? ''] ?? 'ERR_FAILED'}`))
    })
  }

  #answered(answer: IncomingMessage): void {
    const { statusCode = 0, headers } = answer
    if (headers.location === undefined || statusCode < 300 || statusCode >= 400) {
      this.#answer = answer
      this.emit('response', answer)
      return
    }
    const target = new URL(headers.location, this.#url).href
    if (this.#redirect === 'follow') throw notEmulated('net.request that follows a redirect')
    if (this.#redirect === 'manual') this.emit('redirect', statusCode, this.#outgoing.method, target, headers)
    const why =
      this.#redirect === 'manual' ? 'Redirect was cancelled' : "Attempted to redirect, but redirect policy was 'error'"
    if (this.#aborted) return
    this.#end()
    this.emit('error', new Error(why))
  }

  #end(): void {
    this.#aborted = true
    this.#answer?.destroy()
    this.#outgoing.destroy()
  }

  setHeader(name: string, value: string): void {
    this.#outgoing.setHeader(name, value)
  }
  write(chunk: string | Buffer): void {
    this.#outgoing.write(chunk)
  }
  end(chunk?: string | Buffer): ClientRequest {
    this.#outgoing.end(chunk)
    return this as unknown as ClientRequest
  }
  abort(): void {
    if (!this.#aborted) process.nextTick(() => this.emit('abort'))
    this.#end()
  }
}

export const startRequest = (options: ClientRequestConstructorOptions | string): ClientRequest =>
  new StandInClientRequest(options) as unknown as ClientRequest
