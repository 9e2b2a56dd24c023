// Finds the calls whose results a piece of code drops: those of statements.

import type { CallExpression, Node } from 'oxc-parser'
import { nameOf, walk } from './module-facts.ts'

export const droppedIn = (node: Node): readonly CallExpression[] => {
  const calls: CallExpression[] = []
  const drop = (dropped: Node): void => {
    switch (dropped.type) {
      case 'CallExpression':
        calls.push(dropped)
        return droppedWith(dropped).forEach(drop)
      case 'LogicalExpression':
        return drop(dropped.right)
      case 'ConditionalExpression':
        return [dropped.consequent, dropped.alternate].forEach(drop)
      case 'SequenceExpression':
        return dropped.expressions.forEach(drop)
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return drop(dropped.expression)
      case 'SpreadElement':
        return drop(dropped.argument)
      default:
    }
  }
  walk(node, (inner) => {
    if (inner.type === 'ExpressionStatement') drop(inner.expression)
  })
  return calls
}

/**
 * What is dropped with a call: the promises that `Promise.all` and the like wait for, those that functions for `forEach` and `map`
 * return, and the one that `then` goes on from. With a function for its failure, dropping that one may be meant.
 */
const droppedWith = ({ callee, arguments: given }: CallExpression): readonly Node[] => {
  const [first] = given
  if (callee.type !== 'MemberExpression' || callee.computed || first === undefined) return []
  switch (nameOf(callee.property)) {
    case 'all':
    case 'allSettled':
    case 'any':
    case 'race':
      if (nameOf(callee.object) !== 'Promise') return []
      return first.type === 'ArrayExpression' ? first.elements.filter((element) => element !== null) : [first]
    case 'forEach':
    case 'map':
      return first.type === 'ArrowFunctionExpression' && first.body.type !== 'BlockStatement' ? [first.body] : []
    case 'then':
      return given.length === 1 ? [callee.object] : []
    case 'finally':
      return [callee.object]
    default:
      return []
  }
}
