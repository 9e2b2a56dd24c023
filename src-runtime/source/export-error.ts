// Finds the position of an exported definition's options in its module.

import type { Definition } from './bundling.ts'
import { definerOf, exportNamed, valueOfExport } from './module-facts.ts'
import { placeOf, sourceError, startOf, type Place, type SourceError } from './source-error.ts'
import type { SourceFiles } from './source-files.ts'

export const exportError = (files: SourceFiles, definition: Definition, text: string): SourceError =>
  sourceError(placeOfExport(files, definition), text, files.text(definition.path))

export const placeOfExport = (files: SourceFiles, { path, exportName }: Definition): Place => {
  const facts = files.facts(path)
  if (facts === undefined) return startOf(path)
  const node = valueOfExport(facts, exportNamed(facts, exportName))
  // For a definition, its options.
  const options = node?.type === 'CallExpression' && definerOf(node, facts.imports) ? node.arguments[0] : undefined
  return placeOf(path, facts.text, (options ?? node)?.start ?? 0)
}
