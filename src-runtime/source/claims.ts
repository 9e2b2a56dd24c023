// Which module a Program's id belongs to. Two that claim one id both fail, because neither is more right.

import { sourceError, type Place, type SourceError } from './source-error.ts'
import type { CompiledProgram } from './source.ts'

export type Claims = {
  readonly programs: ReadonlyMap<string, CompiledProgram>
  /** By module. */
  readonly errors: ReadonlyMap<string, readonly SourceError[]>
}

export type ClaimingFile = {
  readonly programs: readonly CompiledProgram[]
  /** Deleted just now: what it held may have moved. */
  readonly isGone: boolean
}

export const settleClaims = (files: Iterable<ClaimingFile>, textOf: (path: string) => string | undefined): Claims => {
  const byId = new Map<string, { readonly program: CompiledProgram; readonly isWeak: boolean }[]>()
  for (const { programs, isGone } of files) {
    for (const program of programs) {
      // A module that only passes a definition on yields to the one that declares it.
      const claim = { program, isWeak: isGone || program.isReexported }
      byId.set(program.id, [...(byId.get(program.id) ?? []), claim])
    }
  }
  const programs = new Map<string, CompiledProgram>()
  const errors = new Map<string, SourceError[]>()
  for (const [id, claims] of byId) {
    const strong = claims.filter(({ isWeak }) => !isWeak)
    const claiming = (strong.length > 0 ? strong : claims.slice(0, 1)).map(({ program }) => program)
    if (claiming.length === 1) programs.set(id, claiming[0]!)
    else
      for (const [path, found] of clashErrors(id, claiming, textOf))
        errors.set(path, [...(errors.get(path) ?? []), ...found])
  }
  return { programs, errors }
}

const clashErrors = (
  id: string,
  claiming: readonly CompiledProgram[],
  textOf: (path: string) => string | undefined,
): readonly (readonly [path: string, errors: readonly SourceError[]])[] =>
  claiming.map((program) => {
    const others = claiming.filter((other) => other !== program).map(({ place }) => placeText(place))
    const text = `Program id "${id}" is also used by ${others.join(' and ')}: ids are unique in a project, so change one of them`
    return [program.path, [sourceError(program.place, text, textOf(program.path))]]
  })

const placeText = ({ path, line, column }: Place): string => `${path}:${line}:${column}`
