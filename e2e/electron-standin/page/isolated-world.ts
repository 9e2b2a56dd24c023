// The world of a sandboxed preload: `require('electron')` with ipcRenderer and contextBridge. Injected into the page as
// source text, so it uses only its arguments.

import type { Codec, Encoded } from '../codec.ts'
import type { Endpoint } from './endpoint.ts'
import type { WindowRequest } from './refused-windows.ts'

/** The values of a preload's `process`, and the preload's path. */
export type ProcessFacts = {
  readonly preload: string
  readonly platform: string
  readonly arch: string
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly argv: readonly string[]
}

export type Preload = (
  require: (id: string) => unknown,
  module: { exports: unknown },
  exports: unknown,
  process: object,
) => void

/** From the page to main. */
export type ToMain =
  | IpcToMain
  | { readonly op: 'title'; readonly title: string }
  | { readonly op: 'window'; readonly request: WindowRequest }
export type IpcToMain =
  | { readonly op: 'invoke'; readonly id: number; readonly channel: string; readonly args: Encoded }
  | { readonly op: 'send'; readonly channel: string; readonly args: Encoded }
  | { readonly op: 'preload-error'; readonly path: string; readonly message: string; readonly stack: string }
/** From main to the page. */
export type ToPage =
  | {
      readonly op: 'reply'
      readonly id: number
      readonly channel: string
      readonly value?: Encoded
      readonly error?: string
    }
  | { readonly op: 'event'; readonly channel: string; readonly args: Encoded }

type Listener = (event: object, ...args: readonly unknown[]) => void

export function runIsolatedWorld(
  world: Record<string, unknown>,
  names: { readonly toMain: string; readonly toPage: string },
  endpoint: Endpoint,
  codec: Codec,
  facts: ProcessFacts,
  preload: Preload,
): void {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const listeners = new Map<string, readonly { readonly run: Listener; readonly given: Listener }[]>()
  let invocations = 0

  const post = (message: ToMain) => (world[names.toMain] as (text: string) => void)(JSON.stringify(message))
  const listenersOf = (channel: string) => listeners.get(channel) ?? []
  const gapless = (name: string, own: object) =>
    new Proxy(own, {
      get(target, key, receiver) {
        if (key in target || typeof key === 'symbol' || key === 'then') return Reflect.get(target, key, receiver)
        throw new Error(`stand-in: ${name}.${key} is not emulated in a preload`)
      },
    })

  const on = (channel: string, given: Listener, run = given) => {
    listeners.set(channel, [...listenersOf(channel), { run, given }])
    return ipcRenderer
  }
  const off = (channel: string, listener: Listener) => {
    listeners.set(
      channel,
      listenersOf(channel).filter(({ given }) => given !== listener),
    )
    return ipcRenderer
  }
  const ipcRenderer: object = gapless('ipcRenderer', {
    invoke: (channel: string, ...args: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        const message: ToMain = { op: 'invoke', id: ++invocations, channel, args: codec.encode(args) }
        pending.set(message.id, { resolve, reject })
        post(message)
      }),
    send: (channel: string, ...args: readonly unknown[]) => post({ op: 'send', channel, args: codec.encode(args) }),
    on,
    addListener: on,
    off,
    removeListener: off,
    once: (channel: string, listener: Listener) =>
      on(channel, listener, (...args) => {
        off(channel, listener)
        listener(...args)
      }),
    removeAllListeners(channel: string) {
      listeners.delete(channel)
      return ipcRenderer
    },
  })
  const contextBridge = gapless('contextBridge', {
    exposeInMainWorld: (name: string, api: unknown) =>
      endpoint.ask({ op: 'expose', name, value: endpoint.codec.encode(api) }),
  })

  world[names.toPage] = (text: string) => {
    const message = JSON.parse(text) as ToPage
    if (message.op === 'event') {
      const args = codec.decode(message.args) as readonly unknown[]
      for (const { run } of listenersOf(message.channel)) run({ sender: ipcRenderer, ports: [] }, ...args)
      return
    }
    const { channel, error, value } = message
    const settled = pending.get(message.id)
    pending.delete(message.id)
    if (error !== undefined) settled?.reject(new Error(`Error invoking remote method '${channel}': ${error}`))
    else settled?.resolve(codec.decode(value!))
  }

  const electron = gapless('electron', { ipcRenderer, contextBridge })
  const require = (id: string) => {
    if (/^electron(\/(renderer|common))?$/.test(id)) return electron
    if (/^(node:)?(events|timers|url)$/.test(id))
      throw new Error(`stand-in: require('${id}') is not emulated in a preload`)
    throw new Error(`module not found: ${id}`)
  }
  const { preload: _path, ...told } = facts
  const process = { ...told, type: 'renderer', sandboxed: true, contextIsolated: true }
  const module = { exports: {} }
  try {
    preload(require, module, module.exports, process)
  } catch (error) {
    const { message = String(error), stack = message } = error as Partial<Error>
    console.error(`Unable to load preload script: ${facts.preload}\n${stack}`)
    post({ op: 'preload-error', path: facts.preload, message, stack })
  }
}
