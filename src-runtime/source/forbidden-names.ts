// Finds uses of globals that Programs do not have. Bundling renames each to a stand-in of the same length, which keeps
// positions (esbuild's `define` knows scopes, so it skips locals and properties). Stand-ins left in the bundle are uses;
// permitted ones get their names back.

import { ALTERNATIVES } from '../shared/missing-globals.ts'

/** What to use instead of a built-in module. */
const MODULE_ALTERNATIVES: Readonly<Record<string, string>> = {
  timers: ALTERNATIVES.setTimeout,
  'timers/promises': ALTERNATIVES.setTimeout,
  crypto: 'use the global crypto, which has randomUUID and getRandomValues; hash, sign and encrypt in an effect',
  process: ALTERNATIVES.process,
  buffer: ALTERNATIVES.Buffer,
  perf_hooks: ALTERNATIVES.performance,
  worker_threads: ALTERNATIVES.Worker,
}
const MODULE_ALTERNATIVE = 'call an effect (an exported function of a *.effects.ts module) that uses it'

/** Letters that code does not contain, of one UTF-16 unit each: a Cherokee one, and 600 Canadian syllabics. */
const MARK = '\u13a0'
const FIRST = 0x1401
const FILL = '\u13a0'

const standIn = (name: string, index: number): string =>
  MARK + String.fromCharCode(FIRST + index) + FILL.repeat(name.length - 2)

const NAMES = Object.keys(ALTERNATIVES)
const PROPERTIES = NAMES.filter((name) => !name.includes('.'))

/** The bundler handles `require`, so calls of it are found in another way. */
const GUARDED = NAMES.filter((name) => name !== 'require')

const STAND_INS: ReadonlyMap<string, string> = new Map(
  [...GUARDED, ...PROPERTIES.map((name) => `globalThis.${name}`)].map((name, index) => [standIn(name, index), name]),
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

/** Whether the global object of Programs lacks such a property, which other platforms have. */
export const isForbiddenProperty = (name: string): boolean => PROPERTIES.includes(name)

export const mayHoldForbidden = (code: string): boolean => code.includes(MARK)

export const restoreNames = (code: string): string =>
  mayHoldForbidden(code)
    ? code.replaceAll(/\u13a0[\u1401-\u1658]\u13a0+/g, (letters) => {
        const name = STAND_INS.get(letters) ?? letters
        return name === 'import.meta' ? NO_IMPORT_META : name
      })
    : code

export const alternativeToModule = (name: string): string =>
  MODULE_ALTERNATIVES[name.replace('node:', '')] ?? MODULE_ALTERNATIVE
