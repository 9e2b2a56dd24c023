// Globals that Programs do not have, and what to use instead: the compiler refuses them in the author's code, and what gets
// to one at run time, such as a part of a package, fails with the same words.

const TIMERS = 'Programs have no timers: use ctx.sleep, or the timeout of ctx.waitForEvent, which survive restarts'
const NETWORK =
  'Programs cannot use the network: call an effect (an exported function of a *.effects.ts module) that does'
const MACHINE =
  'Programs cannot access the machine they run on: read the value in an effect (an exported function of a *.effects.ts module), or pass it as input'
const NO_PLATFORM = 'Programs run neither in Node nor in a browser: use globalThis, which has the globals of ECMAScript'
const COLLECTION = 'garbage collection differs from run to run'
const THREADS = 'Programs have one thread: use Promise.all to run things concurrently'
const BYTES = 'use Uint8Array with TextEncoder and TextDecoder, or atob and btoa'
const STREAMS =
  'Programs have no streams: read or write them in an effect (an exported function of a *.effects.ts module)'
const LISTENERS = 'call functions; for events from outside, use ctx.waitForEvent'
const STORAGE = 'keep values in variables, which survive restarts'

export const ALTERNATIVES = {
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  clearTimeout: TIMERS,
  clearInterval: TIMERS,
  clearImmediate: TIMERS,
  'AbortSignal.timeout': TIMERS,
  fetch: NETWORK,
  XMLHttpRequest: NETWORK,
  WebSocket: NETWORK,
  EventSource: NETWORK,
  Headers: NETWORK,
  Request: NETWORK,
  Response: NETWORK,
  FormData: NETWORK,
  process: MACHINE,
  require: 'Programs cannot load modules at run time: use import',
  __dirname: MACHINE,
  __filename: MACHINE,
  Buffer: BYTES,
  Blob: BYTES,
  File: BYTES,
  FileReader: BYTES,
  ReadableStream: STREAMS,
  WritableStream: STREAMS,
  TransformStream: STREAMS,
  TextEncoderStream: STREAMS,
  TextDecoderStream: STREAMS,
  CompressionStream: STREAMS,
  DecompressionStream: STREAMS,
  Event: LISTENERS,
  EventTarget: LISTENERS,
  CustomEvent: LISTENERS,
  Intl: 'its results depend on the machine: format values in an effect, or where they are shown',
  Temporal: 'use Date, or a package for dates such as date-fns',
  performance: 'use Date.now(), which returns the same value on replay',
  global: NO_PLATFORM,
  window: NO_PLATFORM,
  document: NO_PLATFORM,
  navigator: NO_PLATFORM,
  self: NO_PLATFORM,
  location: NO_PLATFORM,
  localStorage: STORAGE,
  sessionStorage: STORAGE,
  indexedDB: STORAGE,
  WeakRef: COLLECTION,
  FinalizationRegistry: COLLECTION,
  SharedArrayBuffer: THREADS,
  Atomics: THREADS,
  Worker: THREADS,
  MessageChannel: THREADS,
  BroadcastChannel: THREADS,
  'crypto.subtle': 'hash, sign and encrypt in an effect (an exported function of a *.effects.ts module)',
  'import.meta': 'modules have no location in the sandbox: pass the value as input',
  WebAssembly: 'do heavy work in an effect (an exported function of a *.effects.ts module)',
} as const satisfies Readonly<Record<string, string>>

const NAMES: Readonly<Record<string, string>> = ALTERNATIVES

/** `name` may begin with `globalThis.`. */
export const notAvailable = (name: string): string =>
  `${name} is not available in a Program: ${NAMES[name.replace('globalThis.', '')] ?? ''}`

/**
 * The message of an error that the engine throws for a missing global says what to use instead; any other stays as it is. A package
 * may pass such an error on by another name that ends alike.
 */
export const explainMissing = (name: string, message: string): string => {
  const [, global = ''] = (name.endsWith('ReferenceError') && /^(\w+) is not defined$/.exec(message)) || []
  return Object.hasOwn(NAMES, global) ? notAvailable(global) : message
}
