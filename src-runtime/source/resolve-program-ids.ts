// Finds the module that declares each Program id. When two modules declare the same id, both fail.

import { sourceError, type Place, type SourceError } from './source-error.ts'
import type { CompiledProgram } from './source.ts'

export type ResolvedIds = {
  readonly programs: ReadonlyMap<string, CompiledProgram>
  /** By the module's path. */
  readonly errors: ReadonlyMap<string, readonly SourceError[]>
}

export type DeclaringFile = {
  readonly programs: readonly CompiledProgram[]
  /** Just deleted: its Programs may have moved to another file. */
  readonly isGone: boolean
}

export const resolveProgramIds = (
  files: Iterable<DeclaringFile>,
  textOf: (path: string) => string | undefined,
): ResolvedIds => {
  const byId = new Map<string, { readonly program: CompiledProgram; readonly isWeak: boolean }[]>()
  for (const { programs, isGone } of files) {
    for (const program of programs) {
      // A module that declares a definition takes precedence over one that re-exports it.
      const declaration = { program, isWeak: isGone || program.isReexported }
      byId.set(program.id, [...(byId.get(program.id) ?? []), declaration])
    }
  }
  const programs = new Map<string, CompiledProgram>()
  const errors = new Map<string, SourceError[]>()
  for (const [id, declarations] of byId) {
    const strong = declarations.filter(({ isWeak }) => !isWeak)
    const declaring = (strong.length > 0 ? strong : declarations.slice(0, 1)).map(({ program }) => program)
    if (declaring.length === 1) programs.set(id, declaring[0]!)
    else
      for (const [path, found] of duplicateErrors(id, declaring, textOf))
        errors.set(path, [...(errors.get(path) ?? []), ...found])
  }
  return { programs, errors }
}

const duplicateErrors = (
  id: string,
  declaring: readonly CompiledProgram[],
  textOf: (path: string) => string | undefined,
): readonly (readonly [path: string, errors: readonly SourceError[]])[] =>
  declaring.map((program) => {
    const others = declaring.filter((other) => other !== program).map(({ place }) => placeText(place))
    const text = `Program id "${id}" is also used by ${others.join(' and ')}: ids are unique in a project, so change one of them`
    return [program.path, [sourceError(program.place, text, textOf(program.path))]]
  })

const placeText = ({ path, line, column }: Place): string => `${path}:${line}:${column}`
