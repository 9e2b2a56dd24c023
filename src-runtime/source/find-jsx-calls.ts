// Finds where JSX calls a function that nothing declares, such as one of React where React is not imported. What JSX calls depends
// on comments and on tsconfig.json, so it is read from the bundle.

import type { Node } from 'oxc-parser'
import { sourceNameOf } from './bundling.ts'
import type { ProgramBundle } from './bundle-programs.ts'
import type { Use } from './find-uses.ts'
import { walk } from './module-facts.ts'
import { patternNames } from './pattern-names.ts'
import { BUNDLE, parse } from './parse.ts'
import { isDependency } from './source-files.ts'

/** As the bundler writes JSX. The author may have marked other calls alike. */
const CALL = /(?<=\/\* @__PURE__ \*\/ )(([\w$]+)[\w.$]*)\((?:(([\w$]+)[\w.$]*),)?/g

/** `textAt`: the source of an offset, up to the end of the line. */
export const findJsxCalls = ({ code, used }: ProgramBundle, textAt: (offset: number) => string): readonly Use[] => {
  if (![...used].some(mayHoldJsx)) return []
  const declared = namesDeclaredIn(parse(BUNDLE, code, 'script').program)
  const uses: Use[] = []
  for (const { index: offset, 1: called, 2: object, 3: first, 4: base } of code.matchAll(CALL)) {
    if (!declared.has(object!) && textAt(offset).startsWith('<')) uses.push({ offset, kind: 'jsx', name: called! })
    // Of a fragment, the first argument is not in the source either.
    else if (base !== undefined && !declared.has(base) && /^<\s*>/.test(textAt(offset)))
      uses.push({ offset, kind: 'jsx', name: first! })
  }
  return uses
}

const mayHoldJsx = (key: string): boolean => {
  const name = sourceNameOf(key)
  return /\.[jt]sx$/.test(name) && !isDependency(name)
}

/** In any scope. The bundler renames what has the name of something that nothing declares, except within functions. */
const namesDeclaredIn = (program: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  walk(program, (node) => {
    const declared = 'id' in node ? [node.id] : node.type === 'CatchClause' ? [node.param] : []
    for (const pattern of [...declared, ...('params' in node && Array.isArray(node.params) ? node.params : [])]) {
      if (pattern !== null) patternNames(pattern).forEach((name) => names.add(name))
    }
  })
  return names
}
