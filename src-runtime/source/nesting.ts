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

const LINE_END = /[\n\r\u2028\u2029]/
const WORD = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const SPACE = /\s+/y
const SIGN = /=>|<!--|-->|\+\+|--|\?\?|&&|\|\||[!=]==?|\.\.\.|[^]/y

type Token = 'space' | 'line end' | 'word' | 'literal' | 'sign'

const OTHER = 0
const WORD_CODE = 1
const NUMBER_CODE = 2
const SPACE_CODE = 3
/** Signs that are no part of longer ones. */
const ALONE_CODE = 4
/** Of the units of ASCII: most code is of them, and a table is read faster than an expression is tried. */
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit)
  if (/[\w$]/.test(sign)) return /\d/.test(sign) ? NUMBER_CODE : WORD_CODE
  if (/\s/.test(sign)) return SPACE_CODE
  return '()[]{},;:>`'.includes(sign) ? ALONE_CODE : OTHER
})
const kindAt = (code: string, at: number): number => KINDS[code.charCodeAt(at)] ?? OTHER

const NEW_LINE = 0x0a
const DOT = 0x2e
const SLASH = 0x2f
const STAR = 0x2a
const BACKSLASH = 0x5c

const endOf = (pattern: RegExp, code: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(code) ? pattern.lastIndex : at
}

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
  return end && endOf(FLAGS, code, end)
}

/** Of a text in quotes; 0 if it does not end in its line. */
const endOfQuoted = (code: string, start: number): number => {
  const quote = code.charCodeAt(start)
  for (let at = start + 1; at < code.length; at += 1) {
    const unit = code.charCodeAt(at)
    if (unit === quote) return at + 1
    if (unit === NEW_LINE || unit === 0x0d) return 0
    if (unit !== BACKSLASH) continue
    at += 1
    if (code.startsWith('\r\n', at)) at += 1
  }
  return 0
}

const endOfComment = (code: string, start: number): number => {
  if (code.charCodeAt(start + 1) === STAR) {
    const closed = code.indexOf('*/', start + 2)
    return closed === -1 ? start : closed + 2
  }
  let end = start + 2
  while (end < code.length && !isLineEnd(code.charCodeAt(end))) end += 1
  return end
}
const isLineEnd = (unit: number): boolean => unit === NEW_LINE || unit === 0x0d || unit === 0x2028 || unit === 0x2029

/** What was read last: one object for all tokens, of which code has a million. */
const read: { kind: Token; end: number } = { kind: 'sign', end: 0 }

const readAs = (kind: Token, end: number): void => {
  read.kind = kind
  read.end = end
}

const readToken = (code: string, start: number): void => {
  const unit = code.charCodeAt(start)
  let at = start + 1
  switch (KINDS[unit]) {
    case ALONE_CODE:
      return readAs('sign', at)
    case WORD_CODE:
      while (kindAt(code, at) === WORD_CODE || kindAt(code, at) === NUMBER_CODE) at += 1
      // The rest of it may be of other letters.
      return readAs('word', code.charCodeAt(at) < 128 ? at : endOf(WORD, code, start))
    case SPACE_CODE: {
      let hasLineEnd = isLineEnd(unit)
      for (; kindAt(code, at) === SPACE_CODE; at += 1) hasLineEnd ||= isLineEnd(code.charCodeAt(at))
      return readAs(hasLineEnd ? 'line end' : 'space', at)
    }
    default:
  }
  const next = code.charCodeAt(at)
  if (KINDS[unit] === NUMBER_CODE || (unit === DOT && KINDS[next] === NUMBER_CODE)) {
    while (kindAt(code, at) === NUMBER_CODE || kindAt(code, at) === WORD_CODE || code.charCodeAt(at) === DOT) at += 1
    return readAs('literal', at)
  }
  if (unit === 0x22 || unit === 0x27) {
    const end = endOfQuoted(code, start)
    if (end > 0) return readAs('literal', end)
  }
  if (unit === SLASH && (next === SLASH || next === STAR)) {
    const end = endOfComment(code, start)
    if (end > start) return readAs(LINE_END.test(code.slice(start, end)) ? 'line end' : 'space', end)
  }
  if (unit === 0x23 || unit === 0x40 || unit > 0x7f) {
    const spaceEnd = endOf(SPACE, code, start)
    if (spaceEnd > start) return readAs(LINE_END.test(code.slice(start, spaceEnd)) ? 'line end' : 'space', spaceEnd)
    const end = endOf(WORD, code, start)
    if (end > start) return readAs('word', end)
  }
  readAs('sign', endOf(SIGN, code, start))
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
    readToken(code, start)
    const { kind, end } = read
    next = end
    if (kind === 'space') continue
    if (kind === 'line end') {
      isNewLine = true
      continue
    }
    const token = code.slice(start, end)
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
