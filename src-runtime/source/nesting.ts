// How deep code may nest, as a bound that is cheap to find and never too low. The parser has no limit of its own: where its
// stack ends, so does the process that called it. Brackets, operators, arrows, `else if`, types and JSX all nest.
//
// The parser goes one level deeper with a token at most, so no path in its tree is longer than the tokens that were read since
// the begin of the statement, in each of the brackets that are open. This counts those. Where it cannot be sure what is code
// and what is text, as within JSX, it counts all tokens.

import { JSON_DEPTH_LIMIT } from '../shared/json-depth.ts'

/** The most in 17,000 files of installed packages is 83. */
export const BRACKETS_LIMIT = JSON_DEPTH_LIMIT
/** The parser reads what follows a `<` as types and then again as values, so each level takes two or three times as long. */
export const ANGLES_LIMIT = 10

export type Nesting = {
  /** Not less than the levels of the parser's tree, without those that one token makes. */
  readonly bound: number
  /** Where it is reached. */
  readonly at: number
  /** Whether it counts all tokens. */
  readonly isAll: boolean
  /** Code that nests too many brackets there, or too many behind a `<` each, must not be parsed. */
  readonly tooMany?: 'brackets' | 'angles'
}

type Level = {
  readonly kind: 'statements' | 'list' | 'text of a template' | 'value in a template'
  /** Whether it is a `(` that follows `if`, `for`, `while` or `with`. */
  readonly isHead: boolean
  /** Tokens since the begin of the statement or of the item. */
  count: number
  /** The height of the highest brackets closed among them. */
  inner: number
  /** The height of the highest statement or item before. */
  before: number
  /** A comma may separate arguments of a type. */
  hasAngle: boolean
}

/** What comes before a token: a `/` or `<` after an operand is an operator. */
type Position = 'operand' | 'operator' | 'unsure'

const SPACE = /\s+|\/\/.*|\/\*[^]*?\*\//y
const LINE_END = /[\n\r\u2028\u2029]/
const WORD = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER = /\.?\d[\w.]*/y
const SIGN = /=>|<!--|-->|\+\+|--|\?\?|&&|\|\||[!=]==?|\.\.\.|[^]/y

/** Signs that are no part of longer ones. */
const ALONE = new Set('()[]{},;:>`')

type Token = { readonly kind: 'space' | 'word' | 'literal' | 'sign'; readonly text: string; readonly end: number }

const match = (pattern: RegExp, code: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(code)?.[0]
}

const isSpaceCode = (unit: number): boolean => unit <= 0x20 || unit === 0xa0 || unit > 0x1fff
const isWordCode = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  '$_#@'.includes(String.fromCharCode(unit)) ||
  unit > 0x7f
const isNumberCode = (unit: number): boolean => (unit >= 0x30 && unit <= 0x39) || unit === 0x2e

/**
 * Where a text ends that begins before `from`: behind the first of `ends` that is not escaped. Undefined if it does not end.
 * A regular expression for all of it would overflow its own stack.
 */
const endOfText = (code: string, from: number, ends: RegExp): number | undefined => {
  ends.lastIndex = from
  for (let found = ends.exec(code); found !== null; found = ends.exec(code)) {
    if (!found[0].startsWith('\\')) return LINE_END.test(found[0]) ? undefined : ends.lastIndex
  }
  return undefined
}
const ENDS: Readonly<Record<string, RegExp>> = {
  '"': /\\(?:\r\n|[^])|["\n\r]/g,
  "'": /\\(?:\r\n|[^])|['\n\r]/g,
}
const TEMPLATE_ENDS = /\\[^]|`|\$\{/g
const CLASS_ENDS = /\\.|[\]\n\r]/g
const EXPRESSION_ENDS = /\\.|[[/\n\r]/g
const FLAGS = /[\p{ID_Continue}$]*/uy

const endOfExpression = (code: string, start: number): number | undefined => {
  let end = endOfText(code, start + 1, EXPRESSION_ENDS)
  while (end !== undefined && code[end - 1] === '[') {
    const closed = endOfText(code, end, CLASS_ENDS)
    end = closed && endOfText(code, closed, EXPRESSION_ENDS)
  }
  return end && end + match(FLAGS, code, end)!.length
}

const tokenAt = (code: string, at: number): Token => {
  const unit = code.charCodeAt(at)
  const sign = code.charAt(at)
  if (ALONE.has(sign)) return { kind: 'sign', text: sign, end: at + 1 }
  const ends = ENDS[sign]
  const textEnd = ends && endOfText(code, at + 1, ends)
  if (textEnd !== undefined) return { kind: 'literal', text: sign, end: textEnd }
  const text = (kind: Token['kind'], pattern: RegExp): Token | undefined => {
    const found = match(pattern, code, at)
    return found === undefined ? undefined : { kind, text: found, end: at + found.length }
  }
  return (
    (isSpaceCode(unit) || unit === 0x2f ? text('space', SPACE) : undefined) ??
    (isWordCode(unit) ? text('word', WORD) : undefined) ??
    (isNumberCode(unit) ? text('literal', NUMBER) : undefined) ??
    text('sign', SIGN)!
  )
}
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** After these an expression, a type or a declaration goes on. */
const RESERVED = words(
  'break case catch class const continue debugger default delete do else enum export extends finally for function if import in instanceof new return switch throw try typeof var void while with',
)
/** After these too, unless they are names. */
const CONTEXTUAL = words(
  'abstract accessor as assert asserts async await declare defer from get global implements infer interface is keyof let module namespace of out override private protected public readonly satisfies set source static type unique using yield',
)
/** At the begin of a line, these go on with what is before. */
const CONTINUING = words(
  'as assert asserts catch else extends finally from implements in instanceof is of satisfies while with',
)
const HEADS = words('for if while with')
/** A `{` after these is no block. */
const BEFORE_ITEMS = words('= ( [ , ? || && ??')

const level = (kind: Level['kind'], isHead = false): Level => ({
  kind,
  isHead,
  count: 0,
  inner: 0,
  before: 0,
  hasAngle: false,
})

const heightOf = ({ before, count, inner }: Level): number => Math.max(before, count + inner)

/** Code of every language in which modules are written; only `hasJsx` says whether `<` may begin an element. */
export const nestingOf = (code: string, hasJsx: boolean): Nesting => {
  const open: Level[] = []
  let current = level('statements')
  /** Of the levels around the current one. */
  let around = 0
  let bound = 0
  let at = 0
  let tooMany: Nesting['tooMany']
  let angles = 0
  let position: Position = 'operator'
  let before = ';'
  let wordBefore = ''
  let isNewLine = false

  const count = (where: number): void => {
    current.count += 1
    const total = around + current.count + current.inner
    if (total <= bound) return
    bound = total
    at = where
  }
  const begin = (): void => {
    current.before = heightOf(current)
    current.count = 0
    current.inner = 0
    current.hasAngle = false
  }
  const push = (next: Level, where: number): void => {
    around += current.count
    open.push(current)
    current = next
    if (open.at(-1)!.hasAngle) angles += 1
    if (open.length > BRACKETS_LIMIT) tooMany = 'brackets'
    else if (angles > ANGLES_LIMIT) tooMany = 'angles'
    if (tooMany !== undefined) at = where
  }
  const pop = (): void => {
    const height = heightOf(current)
    current = open.pop()!
    if (current.hasAngle) angles -= 1
    around -= current.count
    current.inner = Math.max(current.inner, height)
  }
  const unsure = (): Nesting => ({ bound: tokensIn(code), at, isAll: true })

  let next = code.startsWith('#!') ? code.search(/[\n\r]|$/) : 0
  while (next < code.length && tooMany === undefined) {
    const start = next
    if (current.kind === 'text of a template') {
      const found = endOfText(code, start, TEMPLATE_ENDS)
      if (found === undefined) return unsure()
      next = found
      const end = code[found - 1] === '`' ? '`' : '${'
      pop()
      count(start)
      if (end === '`') position = 'operand'
      else {
        push(level('value in a template'), next - 1)
        position = 'operator'
      }
      before = end
      wordBefore = ''
      continue
    }
    const { kind, text: token, end } = tokenAt(code, start)
    next = end
    if (kind === 'space') {
      isNewLine ||= LINE_END.test(token)
      continue
    }
    const word = kind === 'word' ? token : undefined
    const isStatement = current.kind === 'statements'
    if (isStatement && before === ';' && word !== 'else' && word !== 'while') begin()
    else if (
      isStatement &&
      isNewLine &&
      word !== undefined &&
      !CONTINUING.has(word) &&
      (position === 'operand' || before === '}') &&
      !CONTEXTUAL.has(wordBefore)
    )
      begin()
    count(start)
    let after: Position = 'operator'
    if (word !== undefined) {
      const isName = before === '.' || word.startsWith('#')
      after = isName ? 'operand' : RESERVED.has(word) ? 'operator' : CONTEXTUAL.has(word) ? 'unsure' : 'operand'
      if (word.startsWith('@')) after = 'unsure'
    } else if (kind === 'literal') after = 'operand'
    else {
      switch (token) {
        case '(':
          push(level('list', HEADS.has(wordBefore) || before === 'await'), start)
          break
        case '[':
          push(level('list'), start)
          break
        case '{': {
          const isValue =
            !isNewLine && (BEFORE_ITEMS.has(before) || before === 'return' || (before === ':' && !isStatement))
          push(level(isValue ? 'list' : 'statements'), start)
          break
        }
        case '`':
          push(level('text of a template'), start)
          break
        case ')':
        case ']':
        case '}': {
          if (open.length === 0) return unsure()
          const closed = current
          pop()
          count(start)
          if (token === '}' && closed.kind === 'value in a template') {
            // The text goes on.
            push(level('text of a template'), start)
            continue
          }
          after = token === '}' ? 'unsure' : closed.isHead ? 'operator' : 'operand'
          break
        }
        case ',':
          if (current.kind === 'list' && !current.hasAngle) begin()
          break
        case '<':
          current.hasAngle = true
          if (hasJsx && position !== 'operand') return unsure()
          break
        case '/':
          if (position === 'unsure') return unsure()
          if (position === 'operator') {
            const end = endOfExpression(code, start)
            if (end === undefined) return unsure()
            next = end
            after = 'operand'
          }
          break
        case '!':
          // Behind an operand, TypeScript's assertion.
          if (!isNewLine) after = position
          break
        case '++':
        case '--':
          after = 'unsure'
          break
        case '<!--':
        case '-->':
        case '"':
        case "'":
        case '\\':
          return unsure()
        default:
      }
    }
    position = after
    before = token
    wordBefore = word !== undefined && after !== 'operand' ? word : ''
    isNewLine = false
  }
  return { bound, at, isAll: false, ...(tooMany !== undefined && { tooMany }) }
}

/** Of any text that the parser may read as code. */
const tokensIn = (code: string): number => code.match(/[\w$\u0080-\uffff]+|[^\s\w$\u0080-\uffff]/g)?.length ?? 0
