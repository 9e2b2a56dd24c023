// Writes loops differently that the sandbox's engine does not run as JavaScript says.
//
// - When the body of `for await` throws, the engine closes the iterator without waiting until that has ended: a generator's
//   `finally` would run beside the caller's `catch`, or be cut off when the Program ends. After `break` it waits. So such a
//   body leaves its loop by `break`, and its error is thrown behind the loop. What takes a value apart in the head of the loop may
//   throw, too, and so may what it is `using`: both become a part of the body.
// - After `continue` in `for (let …;;)`, functions of that round see the variables of the next. After the end of the body
//   they do not. So `continue` becomes a `break` out of the body.

import type { ForOfStatement, Node, Program } from 'oxc-parser'
import { createMend, unusedName, type Edit } from './edit-script.ts'
import { walk, type Range } from './module-facts.ts'

type Loop = Range & { readonly node: Node; readonly continues: Range[]; holdsFunction: boolean }

/** In the bundler's writing, with the lines that are indented more, or go on with a body that is no block. */
const LOOP = /^( *).*\bfor \(let (?!\w+ of ).*\n(?:\1(?: |else\b|\} (?:else|catch|finally|while)\b).*\n|\n)*/gm
const CONTINUE = /\bcontinue(?: [\w$]+)?;/
/** The last one: a method of an object. */
const FUNCTION = /=>|\bfunction\b|\bclass\b|^(?!.*\b(?:if|for|while|switch|catch) \().*\) \{$/m

const mayHoldSuch = (code: string): boolean =>
  /\bfor await \(/.test(code) ||
  [...code.matchAll(LOOP)].some(([loop]) => isCutOff(loop) || (CONTINUE.test(loop) && FUNCTION.test(loop)))

/** By a head or a text of several lines, which may go on at the loop's own indentation. */
const isCutOff = (loop: string): boolean => !/^[^{\n]*(?:\) \{|[);])\n/.test(loop) || loop.split('`').length % 2 === 0

const editsOf = (code: string, program: Program): readonly Edit[] => {
  const begins: Edit[] = []
  const ends: Edit[] = []
  const put = ({ start, end }: Range, [before, after]: readonly [string, string]): void => {
    begins.push({ start, end: start, text: before })
    ends.unshift({ start: end, end, text: after })
  }
  const thrown = unusedName(code, 'wesThrown')
  const error = unusedName(code, 'wesError')
  const item = unusedName(code, 'wesItem')
  const round = unusedName(code, 'wesRound')
  const { loops, outermost } = loopsIn(program)
  for (const { node } of loops) {
    if (node.type !== 'ForOfStatement' || !node.await) continue
    put(outermost.get(node) ?? node, [`{ let ${thrown}; try { `, ` } finally { if (${thrown}) throw ${thrown}[0]; } }`])
    const { left } = node
    const taking = loops.some((inner) => isWithin(inner, left)) ? '' : takingItem(left, code, item)
    put(node.body, [`{ try { ${taking}`, ` } catch (${error}) { ${thrown} = [${error}]; break; } }`])
    if (taking === '') continue
    const { start, end } = left
    begins.push({ start, end: start, text: `const ${item}` })
    begins.push({ start, end, text: code.slice(start, end).replaceAll(/[^\n]/g, ' ') })
  }
  return [...ends, ...loops.flatMap((loop, index) => leavingBody(loop, `${round}${index}`)), ...begins].toSorted(
    (a, b) => a.start - b.start,
  )
}

const isWithin = (inner: Range, outer: Range): boolean => inner.start >= outer.start && inner.end <= outer.end

/** What the head of a loop does with each item, as a statement in one line; empty if it only names the item. */
const takingItem = (left: ForOfStatement['left'], code: string, item: string): string => {
  const isDeclared = left.type === 'VariableDeclaration'
  const target = isDeclared ? left.declarations[0]!.id : left
  if (target.type === 'Identifier' && !(isDeclared && /using/.test(left.kind))) return ''
  const text = code.slice(left.start, left.end)
  // A template or a comment may not be written in one line.
  if (text.includes('\n') && /`|\/\//.test(text)) return ''
  const inOneLine = text.replaceAll('\n', ' ')
  return isDeclared ? `${inOneLine} = ${item}; ` : `(${inOneLine} = ${item}); `
}

/** `break` needs a label that no other loop has. */
const leavingBody = ({ node, continues, holdsFunction }: Loop, label: string): readonly Edit[] => {
  if (node.type !== 'ForStatement' || node.init?.type !== 'VariableDeclaration' || node.init.kind !== 'let') return []
  if (!holdsFunction || continues.length === 0) return []
  const { start } = node.body
  return [
    { start, end: start, text: `${label}: ` },
    ...continues.map((range) => ({ ...range, text: `break ${label}` })),
  ]
}

/** `outermost`: the outermost label of a statement. */
const loopsIn = (program: Node) => {
  const loops: Loop[] = []
  const around: Loop[] = []
  const labels = new Map<Node, readonly string[]>()
  const outermost = new Map<Node, Range>()
  walk(program, (node) => {
    if (node.type === 'LabeledStatement') {
      labels.set(node.body, [...(labels.get(node) ?? []), node.label.name])
      outermost.set(node.body, outermost.get(node) ?? node)
      return
    }
    const isLoop = /^(?:For|While|DoWhile)/.test(node.type)
    const isFunction = /Function|^Class/.test(node.type)
    if (!isLoop && !isFunction && node.type !== 'ContinueStatement') return
    while (around.length > 0 && around.at(-1)!.end <= node.start) around.pop()
    if (isLoop) {
      const loop = { node, start: node.start, end: node.end, continues: [], holdsFunction: false }
      loops.push(loop)
      around.push(loop)
    } else if (node.type === 'ContinueStatement') {
      const { start, label } = node
      const end = label?.end ?? start + 'continue'.length
      around
        .findLast(({ node: loop }) => label === null || labels.get(loop)?.includes(label.name))
        ?.continues.push({ start, end })
    } else for (const loop of around) loop.holdsFunction = true
  })
  return { loops, outermost }
}

export const mendLoops = createMend(mayHoldSuch, editsOf)
