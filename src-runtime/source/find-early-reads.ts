// Finds where modules of the project that import each other read what has no value yet. Node throws a ReferenceError there. The
// bundler makes variables of all constants, so the Program would get undefined.

import type { Program } from 'oxc-parser'
import type { ProgramBundle } from './bundle-programs.ts'
import type { Use } from './find-uses.ts'
import { mayRunLater, nameOf, walk } from './module-facts.ts'
import { patternNames } from './pattern-names.ts'
import { moduleOf, searchParts } from './script-parts.ts'
import { isDependency } from './source-files.ts'

type Mention = {
  readonly offset: number
  readonly isDeclaration: boolean
  readonly name: string
  readonly module: string
}

export const findEarlyReads = (bundle: ProgramBundle): readonly Use[] => {
  if (!hasCircle(bundle)) return []
  const mentions = searchParts(bundle.code, bundle.used, {
    mayHold: (part) => !isDependency(moduleOf(part)),
    search: mentionsIn,
    moved: (one, by): Mention => ({ ...one, offset: one.offset + by }),
  })
  const declarations = new Map(mentions.flatMap((one) => (one.isDeclaration ? [[one.name, one]] : [])))
  return mentions.flatMap(({ offset, name, module, isDeclaration }): readonly Use[] => {
    const declared = declarations.get(name)
    const isEarly = !isDeclaration && declared !== undefined && declared.offset > offset && declared.module !== module
    return isEarly ? [{ offset, kind: 'early', name: declared.module }] : []
  })
}

/** Most projects have none, so that nothing is parsed. Takes away the modules that import none of the rest, until there are none. */
const hasCircle = ({ inputs, used }: ProgramBundle): boolean => {
  let rest = new Set([...used].filter((name) => !isDependency(name)))
  for (;;) {
    const importing = [...rest].filter((name) => inputs[name]?.imports.some(({ path }) => rest.has(path)))
    if (importing.length === rest.size) return rest.size > 0
    rest = new Set(importing)
  }
}

const mentionsIn = (part: string, { body }: Program): readonly Mention[] => {
  const module = moduleOf(part)
  const mentions: Mention[] = []
  for (const statement of body) {
    if (statement.type === 'VariableDeclaration') {
      for (const { id, start } of statement.declarations)
        for (const name of patternNames(id)) mentions.push({ offset: start, isDeclaration: true, name, module })
    }
    walk(statement, (node) => {
      if (mayRunLater(node) || (node.type === 'UnaryExpression' && node.operator === 'typeof')) return false
      const name = nameOf(node)
      if (name !== undefined) mentions.push({ offset: node.start, isDeclaration: false, name, module })
      return true
    })
  }
  return mentions
}
