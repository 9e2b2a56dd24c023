// Globals that Programs may not use, and what to use instead. Bundling renames each to a stand-in of the same length,
// which keeps positions (esbuild's `define` knows scopes, so it skips locals and properties). Stand-ins left in the
// bundle are uses; permitted ones get their names back.

const TIMERS = 'Programs have no timers: use ctx.sleep, or the timeout of ctx.waitForEvent, which survive restarts'
const NETWORK =
  'Programs cannot use the network: call an effect (an exported function of a *.effects.ts module) that does'
const MACHINE =
  'Programs cannot access the machine they run on: read the value in an effect (an exported function of a *.effects.ts module), or pass it as input'
const NO_PLATFORM = 'Programs run neither in Node nor in a browser: use globalThis, which has the globals of ECMAScript'
const COLLECTION = 'garbage collection differs from run to run'
const THREADS = 'Programs have one thread: use Promise.all to run things concurrently'

const ALTERNATIVES: Readonly<Record<string, string>> = {
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  clearTimeout: TIMERS,
  clearInterval: TIMERS,
  clearImmediate: TIMERS,
  fetch: NETWORK,
  XMLHttpRequest: NETWORK,
  WebSocket: NETWORK,
  EventSource: NETWORK,
  process: MACHINE,
  require: 'Programs cannot load modules at run time: use import',
  __dirname: MACHINE,
  __filename: MACHINE,
  Buffer: 'use Uint8Array with TextEncoder and TextDecoder, or atob and btoa',
  Intl: 'its results depend on the machine: format values in an effect, or where they are shown',
  performance: 'use Date.now(), which returns the same value on replay',
  global: NO_PLATFORM,
  window: NO_PLATFORM,
  document: NO_PLATFORM,
  navigator: NO_PLATFORM,
  WeakRef: COLLECTION,
  FinalizationRegistry: COLLECTION,
  SharedArrayBuffer: THREADS,
  Atomics: THREADS,
  Worker: THREADS,
  'import.meta': 'modules have no location in the sandbox: pass the value as input',
  WebAssembly: 'do heavy work in an effect (an exported function of a *.effects.ts module)',
}

/** What to use instead of a built-in module. */
const MODULE_ALTERNATIVES: Readonly<Record<string, string>> = {
  timers: TIMERS,
  'timers/promises': TIMERS,
  crypto: 'use the global crypto, which has randomUUID and getRandomValues; hash, sign and encrypt in an effect',
  process: MACHINE,
  buffer: ALTERNATIVES['Buffer']!,
  perf_hooks: ALTERNATIVES['performance']!,
  worker_threads: THREADS,
}
const MODULE_ALTERNATIVE = 'call an effect (an exported function of a *.effects.ts module) that uses it'

/** Cherokee letters, which code does not contain, of one UTF-16 unit each. */
const MARK = '\u13a0'
const FIRST = 0x13a1
const FILL = '\u13a0'

const standIn = (name: string, index: number): string =>
  MARK + String.fromCharCode(FIRST + index) + FILL.repeat(name.length - 2)

/** The bundler handles `require`, so calls of it are found in another way. */
const GUARDED = Object.keys(ALTERNATIVES).filter((name) => name !== 'require')

const STAND_INS: ReadonlyMap<string, string> = new Map(
  [...GUARDED, ...GUARDED.filter((name) => !name.includes('.')).map((name) => `globalThis.${name}`)].map(
    (name, index) => [standIn(name, index), name],
  ),
)

/** A script cannot contain `import.meta`. This has the same length. */
const NO_IMPORT_META = '(void 0)   '

/** For esbuild. NODE_ENV is fixed, because libraries read it. */
export const DEFINE: Readonly<Record<string, string>> = {
  'process.env.NODE_ENV': '"production"',
  ...Object.fromEntries([...STAND_INS].map(([letters, name]) => [name, letters])),
}

/** The original name of a stand-in. */
export const forbiddenName = (identifier: string): string | undefined => STAND_INS.get(identifier)

export const mayHoldForbidden = (code: string): boolean => code.includes(MARK)

export const restoreNames = (code: string): string =>
  mayHoldForbidden(code)
    ? code.replaceAll(/\u13a0[\u13a1-\u13ff]\u13a0+/g, (letters) => {
        const name = STAND_INS.get(letters) ?? letters
        return name === 'import.meta' ? NO_IMPORT_META : name
      })
    : code

export const alternativeTo = (name: string): string => ALTERNATIVES[name.replace('globalThis.', '')] ?? ''

export const alternativeToModule = (name: string): string =>
  MODULE_ALTERNATIVES[name.replace('node:', '')] ?? MODULE_ALTERNATIVE
