// Removes everything that code could use to reach outside this process: sockets, name resolution, other processes,
// signals, the environment, and every built-in module. Node's permissions (see evaluator.ts) deny files, child
// processes, threads and addons, but not sockets and signals in all versions.

import dgram from 'node:dgram'
import dns from 'node:dns'
import module from 'node:module'
import net from 'node:net'
import v8 from 'node:v8'

const refuse = (): never => {
  throw new Error('This code is evaluated without access to files, the network and other processes')
}

/** The members of `process` that Node's timers, streams and IPC use. */
const KEPT = new Set(
  `version versions arch platform release features env argv execArgv pid title exitCode _exiting domain
  nextTick _tickCallback emitWarning exit reallyExit hrtime uptime cwd memoryUsage cpuUsage
  _events _eventsCount _maxListeners _fatalException setUncaughtExceptionCaptureCallback hasUncaughtExceptionCaptureCallback
  sourceMapsEnabled channel _channel _handleQueue _pendingMessage send _send connected disconnect _disconnect`.split(
    /\s+/,
  ),
)

/** Network clients, and classes that load one. They stay defined, because schema libraries use them with `instanceof`. */
const CLASSES = ['WebSocket', 'EventSource', 'Headers', 'Request', 'Response', 'FormData', 'MessageEvent', 'CloseEvent']
const VALUES = ['navigator', 'Storage', 'localStorage', 'sessionStorage']

const FIXED = { configurable: false, enumerable: false, writable: false }

/** Makes functions of an object throw: all of them, or those in `names`. */
export const refuseFunctions = (owner: object, names = Object.keys(Object.getOwnPropertyDescriptors(owner))): void => {
  for (const name of names) {
    const property = Object.getOwnPropertyDescriptor(owner, name)
    if (typeof property?.value !== 'function' || property.configurable !== true || name === 'constructor') continue
    // An import of a built-in module finds only enumerable members.
    Object.defineProperty(owner, name, { ...FIXED, enumerable: property.enumerable === true, value: refuse })
  }
}

const unusableClass = () =>
  class {
    constructor() {
      refuse()
    }
  }

/** Code may set globals of these names, as in a Program, which has none of them. */
const REPLACEABLE = { configurable: true, enumerable: false, writable: true }

const removeGlobals = (): void => {
  Object.defineProperty(globalThis, 'fetch', { ...REPLACEABLE, value: refuse })
  for (const name of CLASSES) Object.defineProperty(globalThis, name, { ...REPLACEABLE, value: unusableClass() })
  for (const name of VALUES) Object.defineProperty(globalThis, name, { ...REPLACEABLE, value: undefined })
  // Both load Node's HTTP client, which is then available under this symbol.
  refuseFunctions(WebAssembly, ['compileStreaming', 'instantiateStreaming'])
  for (const version of [1, 2]) {
    Object.defineProperty(globalThis, Symbol.for(`undici.globalDispatcher.${version}`), { ...FIXED, value: undefined })
  }
  const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => undefined]))
  Object.defineProperty(globalThis, 'console', { ...FIXED, value: Object.freeze(silent) })
}

const emptyEnvironment = (): void => {
  for (const name of Object.keys(process.env)) if (name !== 'TZ') delete process.env[name]
}

const stripProcess = (): void => {
  for (const name of Object.getOwnPropertyNames(process)) {
    if (KEPT.has(name)) continue
    Reflect.defineProperty(process, name, { ...FIXED, value: undefined })
  }
  process.argv.length = 1
  process.argv[0] = 'node'
}

/** Modules continue to work, but open no connections. */
export const closeNetwork = (): void => {
  refuseFunctions(net.Server.prototype, ['listen'])
  refuseFunctions(net.Socket.prototype, ['connect'])
  refuseFunctions(dgram.Socket.prototype)
  refuseFunctions(dns)
  refuseFunctions(dns.promises)
}

/** Node's permissions deny neither the files of SQLite, nor those that V8 writes for some of its flags. */
export const closeUncheckedFiles = (): void => {
  const sqlite = process.getBuiltinModule('node:sqlite') as object | undefined
  if (sqlite !== undefined) refuseFunctions(sqlite)
  refuseFunctions(v8, ['setFlagsFromString'])
}

/** No more modules are loaded. */
const closeModules = (): void => {
  // Since Node 22.15.
  const { registerHooks } = module as { readonly registerHooks?: typeof module.registerHooks }
  registerHooks?.({ resolve: refuse })
  refuseFunctions(module)
}

/** The channel to the runtime is a pipe. Code that gets it must not create other pipes from it. */
export const closeChannel = (): void => {
  for (const symbol of Object.getOwnPropertySymbols(process)) {
    const handle = (process as unknown as Record<symbol, unknown>)[symbol]
    if (typeof handle !== 'object' || handle === null) continue
    refuseFunctions(Object.getPrototypeOf(handle) as object, ['bind', 'connect', 'fchmod', 'listen', 'open'])
  }
}

/** Call this after the process has loaded everything that it needs. */
export const restrictProcess = (): void => {
  closeNetwork()
  closeModules()
  closeChannel()
  emptyEnvironment()
  removeGlobals()
  stripProcess()
}
