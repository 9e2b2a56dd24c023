// Globals that a Program may not use, and what to do instead. Before bundling, each is renamed to a stand-in of the same
// length (esbuild's `define` knows scopes, so a local of the same name or a property is left alone). Stand-ins that
// survive in the bundle are uses; positions stay true, and what is allowed is named back.

const TIMERS = 'Programs have no timers: use ctx.sleep, or the timeout of ctx.waitForEvent, which outlive restarts'
const NETWORK =
  'Programs cannot reach the network: call an effect (an exported function of a *.effects.ts module) that does'
const MACHINE =
  'Programs see nothing of the machine they run on: read it in an effect (an exported function of a *.effects.ts module), or pass it in as input'
const NO_PLATFORM =
  'Programs run neither in Node nor in a browser: the global object is globalThis, and has what ECMAScript has'
const COLLECTION = 'when garbage is collected differs from run to run'
const THREADS = 'Programs have one thread and one memory: run things side by side with Promise.all'

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
  require: 'Programs load nothing at run time: use import',
  __dirname: MACHINE,
  __filename: MACHINE,
  Buffer: 'use Uint8Array with TextEncoder and TextDecoder, or atob and btoa',
  Intl: 'its results depend on the machine: format in an effect, or where the result is shown',
  performance: 'use Date.now(), which replays the same',
  global: NO_PLATFORM,
  window: NO_PLATFORM,
  document: NO_PLATFORM,
  navigator: NO_PLATFORM,
  WeakRef: COLLECTION,
  FinalizationRegistry: COLLECTION,
  SharedArrayBuffer: THREADS,
  Atomics: THREADS,
  Worker: THREADS,
  'import.meta': 'where a module lies means nothing in a sandbox: pass in what is needed as input',
  WebAssembly: 'heavy work belongs into an effect (an exported function of a *.effects.ts module)',
}

/** Letters (Cherokee) in which nobody writes code, of one UTF-16 unit each. */
const MARK = '\u13a0'
const FIRST = 0x13a1
const FILL = '\u13a0'

const standIn = (name: string, index: number): string =>
  MARK + String.fromCharCode(FIRST + index) + FILL.repeat(name.length - 2)

/** `require` is the bundler's own business: calls of it are found in another way. */
const GUARDED = Object.keys(ALTERNATIVES).filter((name) => name !== 'require')

const STAND_INS: ReadonlyMap<string, string> = new Map(
  [...GUARDED, ...GUARDED.filter((name) => !name.includes('.')).map((name) => `globalThis.${name}`)].map(
    (name, index) => [standIn(name, index), name],
  ),
)

/** Scripts cannot say it. Of the same length as well. */
const NO_IMPORT_META = '(void 0)   '

/** For esbuild. Libraries ask for the mode that they run in: it is always the same. */
export const DEFINE: Readonly<Record<string, string>> = {
  'process.env.NODE_ENV': '"production"',
  ...Object.fromEntries([...STAND_INS].map(([letters, name]) => [name, letters])),
}

/** The name behind an identifier of the bundle, if that is a stand-in. */
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
