import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'

it('quotes what needs it, and ends each line', () => {
  expect(
    csvOf(
      ['Day', 'Name'],
      [
        ['2026-11-20', 'a,b'],
        ['say "hi"', 'two\nlines'],
        [undefined, 12.5],
      ],
    ),
  ).toBe('Day,Name\r\n2026-11-20,"a,b"\r\n"say ""hi""","two\nlines"\r\n,12.5\r\n')
})

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1'])('does not let a spreadsheet run %j', (text) => {
  expect(csvOf(['x'], [[text]])).toBe(`x\r\n'${text}\r\n`)
})

it('protects formulas that need quotes, too', () => {
  expect(csvOf(['x'], [['=HYPERLINK("http://a","b")']])).toBe(`x\r\n"'=HYPERLINK(""http://a"",""b"")"\r\n`)
  expect(csvOf(['x'], [['\r=1']])).toBe(`x\r\n"'\r=1"\r\n`)
})

it('leaves numbers alone', () => expect(csvOf(['x'], [[-3]])).toBe('x\r\n-3\r\n'))
