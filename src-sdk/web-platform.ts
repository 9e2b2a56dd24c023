// The web types and globals that the client uses, declared here so that it needs neither DOM nor Node types.

import { isRecord } from './is-record.ts'

/** The platform's own `AbortSignal` type where the caller's project has one. */
export type WebAbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : typeof globalThis extends { fetch: (url: string, init?: infer Init) => unknown }
    ? SignalOf<NonNullable<Init>>
    : MinimalAbortSignal

/** Cloudflare declares `AbortSignal` as a class, and classes are not members of `globalThis`; functions are. */
type SignalOf<Init> = Init extends { signal?: infer Signal } ? NonNullable<Signal> : MinimalAbortSignal

type MinimalAbortSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The options that the client passes to `fetch`. */
export type FetchInit = {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly signal?: WebAbortSignal
  readonly redirect: 'manual'
  /** Next.js may keep answers whatever their headers say, those of a start too. */
  readonly cache?: 'no-store'
}

/** The part of a `Response` that the client reads. */
export type FetchResponse = {
  /** 0 for a redirect in a browser. */
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
  /** The body stream, which only `streamChanges` needs, and what bounds the size of answers. That of node-fetch is one of Node's, without a reader. */
  readonly body?: unknown
}

/** What the client copes with: what replaces `fetch` in tests may answer JSON without text, and no headers. */
export type ReadResponse = Pick<FetchResponse, 'status'> & Partial<FetchResponse> & { json?(): Promise<unknown> }

export type ByteReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

export const hasReader = (body: unknown): body is { getReader(): ByteReader } =>
  isRecord(body) && typeof body['getReader'] === 'function'

/** A function with the signature of the platform's `fetch`. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<FetchResponse>

export type Timer = { readonly opaque: unique symbol }

type AbortControllerLike = { readonly signal: WebAbortSignal; abort(reason?: unknown): void }

type WebPlatform = {
  readonly fetch?: FetchFunction
  readonly Request?: { readonly prototype: object }
  readonly AbortController: new () => AbortControllerLike
  readonly DOMException: new (message: string, name: string) => Error
  readonly TextDecoder: new () => { decode(bytes?: Uint8Array, options?: { stream: boolean }): string }
  readonly crypto?: { getRandomValues(bytes: Uint8Array): Uint8Array }
  readonly URL: new (url: string) => { readonly protocol: string }
  /** Browsers and their workers have it. */
  readonly location?: { readonly protocol: string }
  readonly Bun?: unknown
  readonly performance: { now(): number }
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  setTimeout(callback: () => void, delayMs: number): Timer
  clearTimeout(timer: Timer | undefined): void
}

/** `globalThis`, seen through the types above. */
export const web = globalThis as unknown as WebPlatform

/** Cloudflare Workers with an old compatibility date throw for the option; their requests have no such property. */
export const hasCacheOption = (): boolean => web.Request !== undefined && 'cache' in web.Request.prototype

/** An environment variable; undefined when it is empty, or when there is no readable environment. */
export const readEnvironment = (name: string): string | undefined => {
  try {
    return web.process?.env?.[name]?.trim() || undefined
  } catch {
    return undefined // Deno refuses the read without --allow-env
  }
}
