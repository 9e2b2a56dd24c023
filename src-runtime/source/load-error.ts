// The error of a Program that compiles and cannot be loaded.

import { placeOf, sourceError, type Place, type SourceError } from './source-error.ts'
import { packageOf } from './source-files.ts'

/** By the stack in the text, it is where the Program's module throws, or imports the package that does; else at the definition. */
export const loadError = (
  { place }: { readonly place: Place },
  text: string,
  source: string | undefined,
): SourceError => {
  const [, frame = ''] = text.split(`(${place.path}:`)
  const [, line, column] = /^(\d+):(\d+)\)/.exec(frame) ?? []
  if (line !== undefined) return sourceError({ ...place, line: Number(line), column: Number(column) }, text, source)
  const [, module] = /\(([^()]*\bnode_modules\/[^()]*):\d+:\d+\)/.exec(text) ?? []
  const imported = module === undefined ? undefined : importOf(packageOf(module), place.path, source ?? '')
  return imported === undefined
    ? sourceError(place, text, source)
    : sourceError(imported.place, text, source, imported.length)
}

const SPECIFIER = /(?<=\b(?:from|import)\s*)(['"])([^'"\n]+)\1/g

/** Of a package, in the text of a module. */
const importOf = (name: string, path: string, source: string) => {
  const found = [...source.matchAll(SPECIFIER)].find(([, , given]) => `${given}/`.startsWith(`${name}/`))
  return found && { place: placeOf(path, source, found.index), length: found[0].length }
}
