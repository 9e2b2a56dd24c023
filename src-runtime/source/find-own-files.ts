// Finds in effect modules of the project, and in the project's modules that they import, what reads or starts a file of the project: an
// artifact contains code, and no other files.

import { basename, resolve } from 'node:path'
import type { CallExpression, NewExpression, Node } from 'oxc-parser'
import { statOf } from '../shared/stat-of.ts'
import type { EffectModules } from './bundle-effects.ts'
import { OWN_MODULE } from './bundling.ts'
import { calledName, exportNamed, mayRunLater, valueOfExport, walk } from './module-facts.ts'
import { constantsOf, namedFile } from './named-file.ts'
import { mayReadBeside, ONLY_CODE, onlyStarts, readsOrStarts } from './package-files.ts'
import { parse, tooDeep } from './parse.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'
import { isDependency, type SourceFiles } from './source-files.ts'
import { importsByVariable } from './variable-requires.ts'

export type OwnFiles = {
  /** Of files that the effects always read. */
  readonly errors: readonly SourceError[]
  /** Texts, of files that they may do without, that are written before, or that may be others, in the current folder. */
  readonly doubtful: readonly string[]
}

/** `code` and `used`: of the bundle, and its modules. */
export const findOwnFiles = (
  files: SourceFiles,
  code: string,
  effects: EffectModules,
  used: readonly string[],
): OwnFiles => {
  const own = used.filter((name) => !isDependency(name))
  const found = own.map((name) => ownReads(files, name, code, effects))
  const unknown = own.flatMap((name) => unknownImports(files, name))
  return {
    errors: found.flatMap(({ errors }) => errors),
    doubtful: [...found.flatMap(({ doubtful }) => doubtful), ...unknown],
  }
}

const unknownImports = (files: SourceFiles, name: string): readonly string[] =>
  importsByVariable(files, name).map((at) => {
    const text = files.text(name) ?? ''
    return sourceError(placeOf(name, text, at), UNKNOWN_IMPORT, text).message
  })

const UNKNOWN_IMPORT =
  'what this loads is only known when it runs, and an artifact contains only code that is imported by name: ' +
  'import a built-in module, or write how the path begins, such as import(`./mails/${name}.ts`)'

const INSTEAD = 'import it, which works for .json and .txt'
const INSTEAD_OF_START =
  'import the code of the worker as text, from a .txt file, and start it with `new Worker(code, { eval: true })`'

/** Effects may read what they have written. */
const WRITES = /\b(?:write|append|copy|rename|createWrite|download)/
/** They may do without a file that they cannot read. */
const CATCHES = /\bcatch\b|\.(?:then|allSettled|any|race)\s*\(/

const ownReads = (files: SourceFiles, name: string, code: string, effects: EffectModules): OwnFiles => {
  const text = files.text(name) ?? ''
  if (!readsOrStarts(text) || !OWN_MODULE.test(name) || tooDeep(name, text, 'unambiguous') !== undefined)
    return { errors: [], doubtful: [] }
  const { program } = parse(name, text, 'unambiguous')
  const constants = constantsOf(program)
  const always = alwaysIn(text, [program, ...effectsIn(files, name, effects)])
  const mayDoWithout = WRITES.test(text) || CATCHES.test(text)
  const errors: SourceError[] = []
  const doubtful: string[] = []
  walk(program, (node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
    const [first] = node.arguments
    const isStart = node.type === 'NewExpression'
    if (first === undefined || !(isStart ? STARTING : READING).has(calledName(node.callee) ?? '')) return
    const named = namedFile(first, constants, files.fileOf(name))
    // Effects run in the folder of the project.
    const file = named === undefined ? '' : resolve(files.folder, named.path)
    const isOfProject = named?.isBeside === true || !files.nameOf(file).startsWith('..')
    // The bundle lacks code that the Program does not use.
    if (!isOfProject || statOf(file)?.isFile() !== true || !code.includes(basename(file))) return
    const error = sourceError(placeOf(name, text, node.start), missingText(files.nameOf(file), isStart), text)
    const isSure = named?.isBeside === true && always.has(node.start) && !mayDoWithout && !takesError(node)
    if (isSure) errors.push(error)
    else doubtful.push(error.message)
  })
  if (errors.length + doubtful.length === 0 && mayReadBeside(text))
    doubtful.push(
      `${name} seems to read files beside it, ${ONLY_CODE}: ${onlyStarts(text) ? INSTEAD_OF_START : INSTEAD}`,
    )
  return { errors, doubtful }
}

/** Whether its last argument may be a function that gets its error. */
const takesError = ({ arguments: [, ...more] }: CallExpression | NewExpression): boolean =>
  /Function|^(?:Identifier|MemberExpression)$/.test(more.at(-1)?.type ?? '')

const READING = new Set(['readFileSync', 'readFile', 'createReadStream'])
const STARTING = new Set(['Worker'])

const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

/** The functions of the effects that the Program calls. Other functions may be called by nobody. */
const effectsIn = (files: SourceFiles, name: string, effects: EffectModules): readonly Node[] => {
  const facts = files.facts(name)
  const names = effects.flatMap(([module, ofModule]) => (module === name ? ofModule : []))
  return names.flatMap((one) => {
    const value = facts && valueOfExport(facts, exportNamed(facts, one))
    const given = value?.type === 'CallExpression' ? value.arguments : value === undefined ? [] : [value]
    return given.filter(({ type }) => FUNCTION.test(type))
  })
}

/** Where calls begin that each run of one of these nodes comes to. */
const alwaysIn = (text: string, nodes: readonly Node[]): ReadonlySet<number> => {
  const starts = new Set<number>()
  for (const top of nodes) {
    let mayHaveEnded = false
    walk(top, (node) => {
      if (node !== top && mayRunLater(node)) {
        mayHaveEnded ||= !FUNCTION.test(node.type) && /\breturn\b/.test(text.slice(node.start, node.end))
        return false
      }
      if (!mayHaveEnded) starts.add(node.start)
      return true
    })
  }
  return starts
}

const missingText = (file: string, isStart: boolean): string =>
  `${file} is ${isStart ? 'started' : 'read'} here, ${ONLY_CODE}: ${isStart ? INSTEAD_OF_START : INSTEAD}`
