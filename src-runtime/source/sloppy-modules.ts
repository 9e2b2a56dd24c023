// Lets the CommonJS modules of packages in bundled effects run in sloppy mode, as Node runs them. The bundle is an ES module, and so
// strict throughout: it contains the code of such a module as text, and compiles it when it is first required.

import { Script } from 'node:vm'
import type { Metafile } from 'esbuild'
import { isDependency } from './source-files.ts'

/**
 * With the place of the bundle, so that errors have the same positions as other code, and source maps count. `given`: the variables of
 * the bundle that the module uses.
 */
export const SLOPPY_PRELUDE =
  `import { compileFunction as wesCompile, constants as wesVm } from 'node:vm'; ` +
  `const wesSloppy = (lineOffset, names, given, code) => (...own) => wesCompile(code, names, { filename: import.meta.url, ` +
  `lineOffset, importModuleDynamically: wesVm.USE_MAIN_CONTEXT_DEFAULT_LOADER })(...own, ...given())`

/** How the bundler writes a CommonJS module. Other modules that it writes within a function are ES modules. */
const HEAD = /^var \S+ = __commonJS\(\{\n {2}("(?:[^"\\\n]|\\.)+")\(([\w$, ]*)\) \{$/gm
const END = '\n  }\n});\n'

const STRICT = /^\s*"use strict";/

/** For code that follows the line of `SLOPPY_PRELUDE`. Keeps the numbers of lines. Undefined if there are no such modules. */
export const withSloppyModules = (code: string, inputs: Metafile['inputs']): string | undefined => {
  let known: ReadonlySet<string> | undefined
  let made = ''
  let done = 0
  let line = 1
  let counted = 0
  for (const { 0: head, 1: key = '', 2: params = '', index } of code.matchAll(HEAD)) {
    const start = index + head.length
    if (index < done || !runsSloppily(JSON.parse(key) as string, inputs)) continue
    const end = endOf(code, start)
    const body = code.slice(start, end)
    if (end === undefined || STRICT.test(body)) continue
    known ??= topLevelNames(code)
    const [exported = 'exports', module = 'module'] = params.split(', ').filter((name) => name !== '')
    const own = [exported, module]
    const given = [...new Set(body.match(/[\p{ID_Continue}$]+/gu))].filter(
      (name) => known?.has(name) === true && !own.includes(name),
    )
    line += code.slice(counted, start).split('\n').length - 1
    counted = start
    made += `${code.slice(done, index)}${head.slice(0, head.indexOf(key))}${key}: wesSloppy(${line}, `
    made += `${JSON.stringify([...own, ...given])}, () => [${given.map(valueOf).join(', ')}], \`${asTemplate(body)}\n  \`)`
    done = end + '\n  }'.length
  }
  return done === 0 ? undefined : made + code.slice(done)
}

/** Linked packages are elsewhere. The project's own modules are strict with `wes dev`, too. Node runs no CommonJS module with imports, but the bundler lists patterns of paths as such. */
const runsSloppily = (key: string, inputs: Metafile['inputs']): boolean =>
  !key.endsWith('.json') &&
  (isDependency(key) || key.startsWith('../')) &&
  inputs[key]?.imports.every(({ kind, path }) => kind !== 'import-statement' || path.includes('*')) === true

/** Of the module's function. The text of a template may look like it. */
const endOf = (code: string, start: number): number | undefined => {
  let end = code.indexOf(END, start)
  for (let tries = 0; end !== -1 && tries < MAX_TRIES; tries++) {
    if (isWhole(code.slice(start, end))) return end
    end = code.indexOf(END, end + 1)
  }
  return undefined
}

const MAX_TRIES = 5

const isWhole = (body: string): boolean => {
  try {
    return new Script(`(function () {${body}\n})`) instanceof Script
  } catch {
    return false
  }
}

/** Those that CommonJS modules may use: functions of the bundler, which come first, and other modules. */
const topLevelNames = (code: string): ReadonlySet<string> => {
  const functions = code.slice(0, code.search(/^\/\/ /m)).matchAll(/^var (\S+) = /gm)
  const modules = code.matchAll(/^var (\S+) = (?:__commonJS\(|__esm\(|\{\};$)/gm)
  const patterns = code.matchAll(/^var (glob(?:Require|Import)_[^\s;]+);$/gm)
  return new Set([...functions, ...modules, ...patterns].map(([, name]) => name!))
}

/** The module itself sets those that get modules by a pattern of their paths. */
const valueOf = (name: string): string => (name.startsWith('glob') ? `(path) => ${name}(path)` : name)

const asTemplate = (text: string): string => text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r')
