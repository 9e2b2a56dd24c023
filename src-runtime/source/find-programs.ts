// Finds out by parsing which exports of a module may be definitions of Programs, and which definitions cannot be found.

import type { Node } from 'oxc-parser'
import { EFFECTS_MODULE } from './effect-exports.ts'
import {
  definerOf,
  exportNamed,
  namesIn,
  nameText,
  valueOfExport,
  walk,
  withoutTypes,
  type ModuleExport,
  type ModuleFacts,
  type Range,
} from './module-facts.ts'
import { isOfSchemaLibrary } from './slice-module.ts'

/** Definitions of Programs that are neither exported nor used. */
export const unexportedPrograms = (facts: ModuleFacts): readonly Range[] => {
  const reachable = new Set(facts.exports.flatMap((one) => (one.kind === 'local' ? [one.local] : [])))
  for (const { node, declares } of facts.statements) {
    for (const name of namesIn(node)) if (!declares.includes(name)) reachable.add(name)
  }
  const isProgram = (node: Node) => definerOf(node, facts.imports) === 'defineProgram'
  const values = [...facts.values].flatMap(([name, value]) => (reachable.has(name) ? [] : [withoutTypes(value)]))
  const bare = facts.statements.flatMap(({ node }) => (node.type === 'ExpressionStatement' ? [node.expression] : []))
  return [...values, ...bare].filter(isProgram)
}

/** Exports of a module that defines a Program and has only exports of CommonJS, in which no Programs are found. */
export const commonJsExports = ({ exports, statements, text }: ModuleFacts): readonly Range[] =>
  exports.length > 0 || !statements.some(({ node }) => definesProgram(node, text))
    ? []
    : statements.filter(({ node, start, end }) => {
        if (node.type === 'TSExportAssignment') return true
        return node.type === 'ExpressionStatement' && COMMON_JS_EXPORT.test(text.slice(start, end))
      })

/** Not within a function, as in a module that only helps to define Programs. */
const definesProgram = (statement: Node, text: string): boolean => {
  let found = false
  walk(statement, (inner) => {
    if (/Function/.test(inner.type)) return false
    found ||=
      inner.type === 'CallExpression' && /\bdefineProgram\)?$/.test(text.slice(inner.callee.start, inner.callee.end))
    return !found
  })
  return found
}

const COMMON_JS_EXPORT = /^(?:module\.)?exports(?:\.\w+)?\s*=[^=]/

/** An object that looks like a Program, as the default export: nothing makes a Program of it. */
export const bareProgram = (facts: ModuleFacts): Range | undefined => {
  const value = valueOfExport(facts, exportNamed(facts, 'default'))
  if (value?.type !== 'ObjectExpression') return undefined
  const names = value.properties.flatMap((one) => (one.type === 'Property' && !one.computed ? nameText(one.key) : []))
  return names.includes('id') && names.includes('run') ? value : undefined
}

/** Stands for the names that a module exports by `export *`, which only evaluating it tells. */
export const ELSEWHERE = '*'

/** Exported names that may be definitions of Programs. Evaluating them decides. */
export const candidatesOf = (facts: ModuleFacts): readonly string[] => {
  const seen = new Set<string>()
  return facts.exports.flatMap((one) => {
    if (one.kind === 'all') return mayExportPrograms(facts, one.specifier) ? [ELSEWHERE] : []
    if (!mayBeProgram(facts, one)) return []
    // A definition exported by name and as default counts once.
    const origin = one.kind === 'local' ? one.local : `${one.imported} ${one.specifier}`
    if (seen.has(origin)) return []
    seen.add(origin)
    return [one.name]
  })
}

/** A module with Programs of its own must compile whatever code, such as a client, it passes on beside them. */
const mayExportPrograms = ({ text }: ModuleFacts, specifier: string): boolean =>
  specifier.startsWith('.') && !EFFECTS_MODULE.test(specifier) && !text.includes('defineProgram')

const mayBeProgram = (facts: ModuleFacts, one: ModuleExport): boolean => {
  if (one.kind !== 'local') return true
  const node = valueOfExport(facts, one)
  switch (node?.type) {
    case undefined:
      return true
    case 'CallExpression': {
      const definer = definerOf(node, facts.imports)
      return definer === undefined ? !isOfSchemaLibrary(node, facts) : definer === 'defineProgram'
    }
    case 'Identifier':
    case 'MemberExpression':
    case 'ConditionalExpression':
    case 'AwaitExpression':
    case 'LogicalExpression':
      return true
    case 'ArrayExpression':
    case 'ObjectExpression':
      return holdsProgram(node, facts)
    default:
      return false
  }
}

/** Whether an exported value may be an array or object with Programs that are not exported themselves. */
export const mayListPrograms = (facts: ModuleFacts, exportName: string): boolean => {
  const value = valueOfExport(facts, exportNamed(facts, exportName))
  return value !== undefined && holdsProgram(value, facts)
}

const holdsProgram = (list: Node, { exports, imports, values }: ModuleFacts): boolean => {
  const isExported = (name: string) => exports.some((one) => one.kind === 'local' && one.local === name)
  const isDefinition = (node: Node) => definerOf(withoutTypes(node), imports) === 'defineProgram'
  return holds(list, (inner) => {
    const value = inner.type === 'Identifier' ? values.get(inner.name) : undefined
    if (inner.type !== 'Identifier' || value === undefined) return isDefinition(inner)
    // A function may make more of them than the one that is exported.
    return /Function/.test(value.type) ? holds(value, isDefinition) : !isExported(inner.name) && isDefinition(value)
  })
}

const holds = (node: Node, isWanted: (inner: Node) => boolean): boolean => {
  let found = false
  walk(node, (inner) => {
    found ||= isWanted(inner)
    return !found
  })
  return found
}
