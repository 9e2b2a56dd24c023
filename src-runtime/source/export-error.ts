// Finds the position of an exported definition's options in its module.

import { definerOf, withoutTypes, type ModuleFacts } from './module-facts.ts'
import { placeOf, sourceError, type Place, type SourceError } from './source-error.ts'
import type { SourceFiles } from './source-files.ts'

export const exportError = (
  files: SourceFiles,
  { path, exportName }: { readonly path: string; readonly exportName: string },
  text: string,
): SourceError => {
  const facts = files.facts(path)
  const source = files.text(path)
  return sourceError(
    facts === undefined ? { path, line: 1, column: 1 } : placeOfExport(facts, exportName),
    text,
    source,
  )
}

export const placeOfExport = (facts: ModuleFacts, exportName: string): Place => {
  const one = facts.exports.find((candidate) => candidate.kind !== 'all' && candidate.name === exportName)
  const value = facts.values.get((one?.kind === 'local' ? one.local : undefined) ?? exportName)
  const node = value === undefined ? undefined : withoutTypes(value)
  // For a definition, its options.
  const options = node?.type === 'CallExpression' && definerOf(node, facts.imports) ? node.arguments[0] : undefined
  return placeOf(facts.path, facts.text, (options ?? node)?.start ?? 0)
}
