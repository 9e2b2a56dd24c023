// Finds what other compilers replace in a module, and the bundler leaves as it is without a word.

import type { Node } from 'oxc-parser'
import { OWN_MODULE } from './bundling.ts'
import { walk, withoutTypes, type ModuleFacts } from './module-facts.ts'
import { createSettingsOf } from './settings.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'
import { isDependency, type SourceFiles } from './source-files.ts'

/** Calls of `import.meta.glob` in modules of the project whose code is in a bundle, unless they ask whether it exists. */
export const findViteGlobs = (files: SourceFiles, code: string, names: readonly string[]): readonly SourceError[] =>
  code.includes('import.meta.glob')
    ? ownFacts(files, names).flatMap((facts) => {
        const nodes = nodesOf(facts)
        const calls = nodes.filter((node) => node.type === 'CallExpression' && !node.optional && isGlob(node.callee))
        if (calls.length < nodes.filter(isGlob).length) return []
        return calls.map(({ start }) => sourceError(placeOf(facts.path, facts.text, start), NO_GLOB, facts.text, 16))
      })
    : []

const NO_GLOB = 'import.meta.glob is a function of Vite, which does not compile this: import each module by its name'

const isGlob = (node: Node): boolean =>
  node.type === 'MemberExpression' &&
  withoutTypes(node.object).type === 'MetaProperty' &&
  node.property.type === 'Identifier' &&
  node.property.name === 'glob'

/** Where the bundler calls the decorators of classes, as TypeScript's "experimentalDecorators" says. */
const CALLS_DECORATORS = '__decorateClass('

/** A warning with the first decorator of these modules, where tsconfig.json says that they find the types of what they decorate. */
export const metadataWarnings = (files: SourceFiles, code: string, names: readonly string[]): readonly string[] => {
  if (!code.includes(CALLS_DECORATORS)) return []
  const settings = createSettingsOf(files)(names).map((name) => files.text(name) ?? '')
  if (!settings.some((text) => EMITS.test(text))) return []
  for (const facts of ownFacts(files, names)) {
    const found = nodesOf(facts).find(({ type }) => type === 'Decorator')
    if (found !== undefined)
      return [sourceError(placeOf(facts.path, facts.text, found.start), NO_TYPES, undefined).message]
  }
  return []
}

const EMITS = /^(?!\s*\/\/).*"emitDecoratorMetadata"\s*:\s*true/m

const NO_TYPES =
  '"emitDecoratorMetadata" of tsconfig.json has no effect here: Reflect.getMetadata("design:type", …) is undefined. Name the types in the arguments of the decorators'

const ownFacts = (files: SourceFiles, names: readonly string[]): readonly ModuleFacts[] =>
  names
    .filter((name) => OWN_MODULE.test(name) && !isDependency(name))
    .toSorted()
    .flatMap((name) => files.facts(name) ?? [])

const nodesOf = ({ statements }: ModuleFacts): readonly Node[] => {
  const found: Node[] = []
  for (const { node } of statements) walk(node, (inner) => void found.push(inner))
  return found
}
