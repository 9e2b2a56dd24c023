// `net.request`, with Node's HTTP instead of Chromium's: without proxies, certificate stores, cookies and a cache. Redirects
// are handled as in Electron: `manual` tells of one, and cancels the request unless the listener follows it.

import { EventEmitter } from 'node:events'
import { request as httpRequest, type ClientRequest as NodeRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ClientRequest, ClientRequestConstructorOptions } from 'electron'
import { notEmulated, type Part } from '../emulate.ts'
import { beginIn } from './partition.ts'

/** Of Node's errors; Electron's have Chromium's names. */
const NAMES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  EAI_AGAIN: 'ERR_NAME_NOT_RESOLVED',
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
      method = 'GET',
      headers = {},
      redirect = 'follow',
      session,
      ...place
    } = typeof options === 'string' ? { url: options } : options
    this.#url = urlOf(place)
    if (!/^https?:$/.test(this.#url.protocol)) throw new Error('ClientRequest only supports http: and https: protocols')
    this.#redirect = redirect
    const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest
    this.#outgoing = send(this.#url, { method, headers: mapped(headers, utf8BytesOf) })
    this.#outgoing.on('response', (answer) => this.#answered(answer))
    this.#outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!this.#aborted) this.emit('error', new Error(`net::${NAMES[error.code ?? ''] ?? 'ERR_FAILED'}`))
    })
    const begun = beginIn(session, this.#url.href, () => this.#fail('net::ERR_ABORTED'))
    if (begun === 'blocked') process.nextTick(() => this.#fail('net::ERR_BLOCKED_BY_CLIENT'))
    else this.#outgoing.on('close', begun)
  }

  #fail(message: string): void {
    if (this.#aborted) return
    this.#end()
    this.emit('error', new Error(message))
  }

  #answered(answer: IncomingMessage): void {
    const { statusCode = 0, headers } = answer
    if (headers.location === undefined || statusCode < 300 || statusCode >= 400) {
      this.#answer = answer
      // Electron's name for an answer that ends too early. Its other listeners come later.
      answer.on('error', (error) => (error.message = 'net::ERR_CONTENT_LENGTH_MISMATCH'))
      answer.headers = mapped(headers, utf8TextOf)
      this.emit('response', answer)
      return
    }
    const target = new URL(headers.location, this.#url).href
    if (this.#redirect !== 'error') this.emit('redirect', statusCode, this.#outgoing.method, target, headers)
    const why =
      this.#redirect === 'manual' ? 'Redirect was cancelled' : "Attempted to redirect, but redirect policy was 'error'"
    if (this.#aborted) return
    if (this.#redirect === 'follow') throw notEmulated('net.request that follows a redirect')
    this.#end()
    this.emit('error', new Error(why))
  }

  #end(): void {
    this.#aborted = true
    this.#answer?.destroy()
    this.#outgoing.destroy()
  }

  setHeader(name: string, value: string): void {
    this.#outgoing.setHeader(name, utf8BytesOf(value))
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

/** Electron sends and reads headers as UTF-8; Node has one character for each byte. */
const utf8BytesOf = (text: string): string => Buffer.from(text).toString('latin1')
const utf8TextOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()

type Values = Readonly<Record<string, string | string[] | undefined>>

const mapped = (headers: Values, change: (value: string) => string): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.map(change) : change(value)]],
    ),
  )

type Place = Pick<ClientRequestConstructorOptions, 'url' | 'protocol' | 'hostname' | 'port' | 'path'>

const urlOf = ({ url, protocol = 'http:', hostname, port, path = '/' }: Place): URL => {
  if (url !== undefined) return new URL(url)
  if (hostname === undefined) throw notEmulated('net.request without a url and a hostname')
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
}

export const startRequest = (options: ClientRequestConstructorOptions | string): ClientRequest =>
  new StandInClientRequest(options) as unknown as ClientRequest
