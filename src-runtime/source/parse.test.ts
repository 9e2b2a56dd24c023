import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, visitorKeys, type Node } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { nestingOf } from './nesting.ts'
import { BUNDLE, parse, tooDeep } from './parse.ts'

const TIMES = 10_000
const many = (text: string): string => text.repeat(TIMES)
const deepText = 'the code nests more than 1000 levels deep here'

describe('code that nests without brackets', () => {
  it.each([
    ['else if', 'a.ts', `if (a) {}${many(' else if (a) {}')}`],
    ['arrows', 'a.ts', `${many('a => ')}1`],
    ['conditionals', 'a.ts', `${many('a ? b : ')}1`],
    ['operators before a value', 'a.ts', `${many('!')}a`],
    ['await', 'a.ts', `${many('await ')}a`],
    ['new', 'a.ts', `${many('new ')}a`],
    ['assignments', 'a.ts', `${many('a = ')}1`],
    ['labels', 'a.ts', `${Array.from({ length: TIMES }, (_, index) => `l${index}: `).join('')};`],
    ['if', 'a.ts', `${many('if (a) ')};`],
    ['type arguments', 'a.ts', `type A = ${many('B<')}C${many('>')}`],
    ['conditional types', 'a.ts', `type A = ${many('B extends C ? D : ')}E`],
    ['powers', 'a.ts', `a = 1${many(' ** a')}`],
    ['elements', 'a.tsx', `${many('<a>')}${many('</a>')}`],
    ['classes', 'a.ts', `a = ${many('class extends ')}a${many(' {}')}`],
  ])('is refused where it is too deep: %s', (_kind, path, code) => {
    const { at, text } = tooDeep(path, code, 'module') ?? {}
    expect(text).toContain(deepText)
    expect(at).toBeGreaterThan(0)
  })

  it.each([
    ['sums', `a = 1${many(' + a')}`],
    ['members', `a${many('.a')}`],
    ['calls', `a${many('()')}`],
    ['templates', `a${many('`x`')}`],
    ['assertions', `a${many('!')}`],
    ['casts', `a${many(' as a')}`],
    ['unions', `type A = a${many(' | a')}`],
    ['lists', `a = [${many('1,')}]`],
    ['statements', many('a => 1; ')],
  ])('is parsed where it is a chain: %s', (_kind, code) => {
    expect(tooDeep('a.ts', code, 'module')).toBeUndefined()
    expect(parse('a.ts', code, 'module')).toMatchObject({ errors: [], program: { type: 'Program' } })
  })

  it('is refused where one statement goes on for too long', () => {
    expect(tooDeep('a.ts', `a = 1${' + a'.repeat(60_000)}`, 'module')?.text).toBe(
      'the statement goes on for too long to be compiled: split it up',
    )
  })

  it('is an error in the words of the parser where it breaks off', () => {
    expect(tooDeep('a.ts', many('a => '), 'module')).toBeUndefined()
    expect(parse('a.ts', many('a => '), 'module').errors).toHaveLength(1)
  })

  it('is refused before brackets in types that are read again and again', () => {
    expect(tooDeep('a.ts', `a = ${'x<({ [k in '.repeat(30)}`, 'module')?.text).toContain(
      'more than 10 brackets after "<"',
    )
  })
})

it('a bundle may be long, also where a "<" would begin an element in other code', () => {
  expect(tooDeep(BUNDLE, 'a = b++ < c << 2;\n'.repeat(50_000), 'script')).toBeUndefined()
})

it('code that is parsed in a thread gives the same as here', () => {
  const code = `${'const a = <p>1 2 3 4 5 6 7 8 9</p>\n'.repeat(100)}import('x')\nconst big = 1n, text = /a/g`
  const { program, importCalls } = parse('a.tsx', code, 'module')
  const here = parseSync('a.tsx', code, { sourceType: 'module', range: false })
  const asJson = (tree: unknown): unknown =>
    JSON.parse(JSON.stringify(tree, (_key, value: unknown) => (typeof value === 'bigint' ? null : value)))
  expect(program).toEqual(asJson(here.program))
  expect(importCalls).toEqual(here.module.dynamicImports.map(({ start, end }) => ({ start, end })))
})

const levelsOf = (program: Node): number => {
  let levels = 0
  for (let level: Node[] = [program]; level.length > 0; levels += 1) {
    level = level.flatMap((node) =>
      (visitorKeys[node.type] ?? []).flatMap((key) => {
        const below = (node as unknown as Record<string, Node | null | (Node | null)[]>)[key]
        return [below].flat().filter((one) => one !== null && one !== undefined)
      }),
    )
  }
  return levels
}

const FOLDER = join(import.meta.dirname, '../..')

it('the bound is not below the levels of the tree, and low for modules as people write them', () => {
  const paths = globSync(['src-{cli,sdk}/**/*.ts', 'node_modules/{zod/v4,luxon/src}/**/*.js'], { cwd: FOLDER })
  expect(paths.length).toBeGreaterThan(100)
  for (const path of paths) {
    const code = readFileSync(join(FOLDER, path), 'utf8')
    const { bound } = nestingOf(code, path.endsWith('.js'))
    // The program, a statement and its expression may all begin with one token.
    expect(levelsOf(parseSync(path, code).program), path).toBeLessThanOrEqual(bound + 3)
    expect(bound, path).toBeLessThan(400)
  }
})

it.each([
  ['text', `a = "${'x'.repeat(20_000_000)}"`],
  ['escapes', `a = "${'\\x'.repeat(5_000_000)}"`],
  ['template', `a = \`${'x'.repeat(20_000_000)}\``],
  ['comment', `/*${'x'.repeat(20_000_000)}*/ a`],
  ['name', 'a'.repeat(20_000_000)],
  ['expression', `a = /${'x'.repeat(20_000_000)}/`],
])('a long %s is one token', (_kind, code) => {
  expect(nestingOf(code, false).bound).toBeLessThan(6)
})

it.each([
  ['a regular expression after a head', 'if (a) /"/.test(b)\n'],
  ['a class in a regular expression', 'a = /[/"]\\//g\n'],
  ['a quotient', 'a = (b) / 2\n'],
  ['a text over brackets', 'a = "((("\n'],
  ['a template in a template', 'a = `${b ? `}` : "`"}`\n'],
])('the bound stays low behind what looks like a text or a bracket: %s', (_kind, code) => {
  expect(nestingOf(code.repeat(1_000), true).bound).toBeLessThan(40)
})
