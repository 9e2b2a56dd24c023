// One end of contextBridge. A page's two worlds share only the DOM. Dispatching an event is synchronous, so calls through
// it return synchronously. These functions are injected into the page as source text, so they use only their arguments.

import type { Codec, Encoded, LiveValues } from '../codec.ts'

/** The part of a page's global object that is used here. */
export type PageWindow = {
  addEventListener(type: string, listener: (event: { readonly detail: string }) => void): void
  dispatchEvent(event: object): boolean
  readonly CustomEvent: new (type: string, init: { readonly detail: string }) => object
}

/** Only the two worlds know `key`. */
export type Ends = { readonly key: string; readonly mine: string; readonly theirs: string }

type Message =
  | { readonly op: 'answer'; readonly value?: Encoded; readonly error?: string }
  | { readonly op: 'settle'; readonly id: number; readonly value?: Encoded; readonly reason?: Encoded }
  | { readonly op: 'call'; readonly id: number; readonly value: Encoded }
  | { readonly op: 'expose'; readonly name: string; readonly value: Encoded }

export type Endpoint = {
  readonly codec: Codec
  /** Throws the error of the other world. */
  ask(message: Message): unknown
  onExpose(expose: (name: string, value: unknown) => void): void
}

export function createEndpoint(
  page: PageWindow,
  makeCodec: (live: LiveValues) => Codec,
  { key, mine, theirs }: Ends,
): Endpoint {
  // Copied now, before a script of the page can replace them.
  const dispatch = page.dispatchEvent.bind(page)
  const { CustomEvent } = page
  const { parse, stringify } = JSON
  const held: ((...args: readonly unknown[]) => unknown)[] = []
  const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: unknown): void }>()
  let promises = 0
  let answer: Message | undefined
  let expose: (name: string, value: unknown) => void = () => {}

  const send = (message: Message) => dispatch(new CustomEvent(key + theirs, { detail: stringify(message) }))
  const ask = (message: Message): unknown => {
    answer = undefined
    send(message)
    const got = answer as Message | undefined
    if (got?.op !== 'answer') return undefined
    if (got.error !== undefined) throw new Error(got.error)
    return codec.decode(got.value!)
  }
  const codec = makeCodec({
    hold: (value) => held.push(value) - 1,
    follow(value) {
      const id = ++promises
      value.then(
        (settled) => send({ op: 'settle', id, value: codec.encode(settled) }),
        (reason: unknown) => send({ op: 'settle', id, reason: codec.encode(reason) }),
      )
      return id
    },
    callable:
      (id) =>
      (...args) =>
        ask({ op: 'call', id, value: codec.encode(args) }),
    promise: (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject })),
  })

  const carryOut = (message: Message): Message => {
    try {
      if (message.op === 'call') {
        const args = codec.decode(message.value) as readonly unknown[]
        return { op: 'answer', value: codec.encode(held[message.id]!(...args)) }
      }
      if (message.op === 'expose') expose(message.name, codec.decode(message.value))
      return { op: 'answer', value: codec.encode(undefined) }
    } catch (error) {
      const text = (error as Partial<Error> | null)?.message
      const unknown =
        'An unknown exception occurred in the isolated context, an error occurred but a valid exception was not thrown.'
      return { op: 'answer', error: typeof text === 'string' ? text : unknown }
    }
  }

  page.addEventListener(key + mine, ({ detail }) => {
    const message = parse(detail) as Message
    if (message.op === 'answer') {
      answer = message
    } else if (message.op === 'settle') {
      const settled = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.reason !== undefined) settled?.reject(codec.decode(message.reason))
      else settled?.resolve(codec.decode(message.value!))
    } else {
      send(carryOut(message))
    }
  })

  return { codec, ask, onExpose: (listener) => void (expose = listener) }
}

/** Runs in the world of the page's scripts: defines the values that a preload exposes. */
export function runMainWorld(page: PageWindow, endpoint: Endpoint): void {
  const freeze = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value
    for (const inner of Object.values(value)) freeze(inner)
    return Object.freeze(value)
  }
  endpoint.onExpose((name, value) => {
    if (Object.hasOwn(page, name)) {
      throw new Error('Cannot bind an API on top of an existing property on the window object')
    }
    Object.defineProperty(page, name, {
      value: freeze(value),
      enumerable: true,
      writable: false,
      configurable: false,
    })
  })
}
