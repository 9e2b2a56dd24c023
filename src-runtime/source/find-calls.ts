// Finds in a bundle the calls of effects that do not do what their author expects. The bundler gives no variable the name of one of
// an outer scope, so a name stands for one variable in all scopes below.

import type { CallExpression, Program } from 'oxc-parser'
import { droppedIn } from './dropped-calls.ts'
import { nameOf, walk } from './module-facts.ts'

export type Call = {
  /** The position in the bundle: of the call, or of its second argument. */
  readonly offset: number
  readonly kind: 'argument' | 'unawaited'
  /** The effect. */
  readonly name: string
}

/** What the Program has in place of an effect. */
const REFERENCE = /^ {2}var (\S+) = \/\* @__PURE__ \*\/ effect\d*\("(.*)"\);$/gm

/** Searches the parts of a bundle. */
export const searchOfCalls = (code: string) => {
  const effects = new Map(Array.from(code.matchAll(REFERENCE), ([, local = '', name = '']) => [local, name]))
  const locals = [...effects.keys()]
  return {
    mayHold: (part: string): boolean => locals.some((local) => part.includes(local)),
    search: (program: Program): readonly Call[] => callsOfEffects(program, effects),
  }
}

/** Direct calls only: `map` passes an index, which nobody means for the effect. */
const callsOfEffects = (program: Program, effects: ReadonlyMap<string, string>): readonly Call[] => {
  if (effects.size === 0) return []
  const effectOf = ({ callee }: CallExpression) => effects.get(nameOf(callee) ?? '')
  const calls: Call[] = []
  walk(program, (node) => {
    if (node.type !== 'CallExpression') return
    const name = effectOf(node)
    const [first, second] = node.arguments
    if (name === undefined || first?.type === 'SpreadElement' || second === undefined) return
    calls.push({ offset: second.start, kind: 'argument', name })
  })
  const unawaited = droppedIn(program).flatMap((call): readonly Call[] => {
    const name = effectOf(call)
    return name === undefined ? [] : [{ offset: call.start, kind: 'unawaited', name: `effect "${name}"` }]
  })
  return [...calls, ...unawaited]
}
