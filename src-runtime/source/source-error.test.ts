import { describe, expect, it } from 'vitest'
import { loadError } from './load-error.ts'
import { codeFrame, placeOf, sortedErrors, sourceError } from './source-error.ts'

describe('a position', () => {
  it('counts lines and columns from 1, in UTF-16 units', () => {
    const text = 'one\r\ntwo 😀 three\nfour'
    expect(placeOf('a.ts', text, 0)).toEqual({ path: 'a.ts', line: 1, column: 1 })
    expect(placeOf('a.ts', text, text.indexOf('three'))).toEqual({ path: 'a.ts', line: 2, column: 8 })
    expect(placeOf('a.ts', text, text.length)).toEqual({ path: 'a.ts', line: 3, column: 5 })
  })
})

describe('a code frame', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')

  it('shows two lines around the position, with a mark below it', () => {
    expect(codeFrame(lines, 10, 6, 2)).toBe(
      ['   8 | line 8', '   9 | line 9', '> 10 | line 10', '     |      ^^', '  11 | line 11', '  12 | line 12'].join(
        '\n',
      ),
    )
  })

  it('marks only within the line, and supports tabs and Windows line breaks', () => {
    expect(codeFrame('\tabc\r\n', 1, 2, 50)).toBe('> 1 |  abc\n    |  ^^^\n  2 |')
  })

  it('cuts very long lines around the position', () => {
    const frame = codeFrame(`${'x'.repeat(500_000)}fetch()${'y'.repeat(500_000)}`, 1, 500_001, 5)
    expect(frame.length).toBeLessThan(400)
    const [text = '', mark = ''] = frame.split('\n')
    expect(text.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('fetch')
  })

  it('shows lines whole that are not very long', () => {
    const line = `export default ${'x'.repeat(120)}()`
    expect(codeFrame(line, 1, line.length)).toContain(`> 1 | ${line}\n`)
  })

  it('of a position outside the text shows the nearest lines', () => {
    expect(codeFrame('only', 1, 9)).toBe('> 1 | only\n    |         ^')
  })
})

describe('errors', () => {
  it('begin with their position', () => {
    expect(sourceError({ path: 'a.ts', line: 2, column: 3 }, 'is wrong', undefined)).toEqual({
      path: 'a.ts',
      line: 2,
      column: 3,
      message: 'a.ts:2:3 is wrong',
      frame: '',
    })
  })

  it('of a Program that cannot be loaded are where it throws, or imports the package that does, or defined', () => {
    const place = { path: 'programs/p.ts', line: 9, column: 9 }
    const source = "import { one } from 'other'\nimport two from '@acme/dep/two'\nimport 'dep'\n"
    const at = (frame: string): string =>
      loadError({ place }, `ReferenceError: x\n    at <anonymous> (${frame})`, source).frame
    expect(at('programs/p.ts:3:1')).toContain("> 3 | import 'dep'\n    | ^\n")
    expect(at('../node_modules/.pnpm/dep@1.0.0/node_modules/dep/index.js:5:7')).toContain(
      "> 3 | import 'dep'\n    |        ^^^^^\n",
    )
    expect(at('node_modules/@acme/dep/two.js:5:7')).toContain('> 2 |')
    expect(at('node_modules/absent/two.js:5:7')).toBe(sourceError(place, '', source).frame)
  })

  it('are sorted, without duplicates, of which each Program may have one through other imports', () => {
    const at = (path: string, line: number, column: number, through = '') =>
      sourceError({ path, line, column }, `x${through}`, undefined)
    const sorted = sortedErrors([
      at('b.ts', 1, 1),
      at('a.ts', 10, 1),
      at('a.ts', 2, 9),
      at('a.ts', 2, 1),
      at('b.ts', 1, 1, '\n  imported through p.ts → b.ts'),
    ])
    expect(sorted.map(({ message }) => message)).toEqual(['a.ts:2:1 x', 'a.ts:2:9 x', 'a.ts:10:1 x', 'b.ts:1:1 x'])
  })
})
