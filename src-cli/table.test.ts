import { describe, expect, it } from 'vitest'
import { type Column, createTable, renderFields, renderTable } from './table.ts'
import { textWidth } from './text.ts'

type Row = { readonly id: string; readonly count: number; readonly note: string; readonly more: string }
const columns: readonly Column<Row>[] = [
  { title: 'ID', cell: (row) => row.id },
  { title: 'COUNT', cell: (row) => String(row.count), align: 'right' },
  { title: 'NOTE', cell: (row) => ({ text: row.note, colour: 'red' }), flexible: true },
  { title: 'MORE', cell: (row) => row.more, flexible: true },
]
const rows: readonly Row[] = [
  { id: 'exe_1', count: 5, note: 'short', more: 'x'.repeat(60) },
  { id: 'exe_22', count: 12345, note: 'a longer note about something', more: '' },
]

describe('a table', () => {
  it('aligns its columns, and cuts nothing outside a terminal', () => {
    expect(renderTable(columns, rows, { columns: undefined, colour: false })).toBe(
      [
        'ID      COUNT  NOTE                           MORE',
        `exe_1       5  short                          ${'x'.repeat(60)}`,
        'exe_22  12345  a longer note about something',
        '',
      ].join('\n'),
    )
  })

  it('fits the terminal by cutting flexible columns, the widest first', () => {
    const lines = renderTable(columns, rows, { columns: 60, colour: false }).split('\n')
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(60)
    expect(lines[1]).toMatch(/^exe_1 {7}5 {2}short +x+…$/)
    expect(lines[2]).toMatch(/^exe_22 {2}12345 {2}a longer note a/)
  })

  it('cuts no id, however long it is', () => {
    const id = `exe_${'a'.repeat(40)}`
    const row = { id, count: 1, note: 'note', more: 'x'.repeat(30) }
    const [, line = ''] = renderTable(columns, [row], { columns: 70, colour: false }).split('\n')
    expect([line.startsWith(`${id}  `), line.endsWith('…'), textWidth(line)]).toEqual([true, true, 70])
  })

  it('has a line for each value where the terminal is too narrow, and never cuts ids', () => {
    const table = createTable(columns, { columns: 14, colour: false })
    expect(table(rows)).toBe(
      [
        'ID     exe_1\nCOUNT  5\nNOTE   short\nMORE   xxxxxxx…\n',
        'ID     exe_22\nCOUNT  12345\nNOTE   a longe…\n',
      ].join('\n'),
    )
    expect(table([{ id: 'exe_a_long_one', count: 1, note: '', more: '' }])).toBe('\nID     exe_a_long_one\nCOUNT  1\n')
    expect(table([])).toBe('')
  })

  it('ignores colour codes when it aligns columns', () => {
    const text = renderTable(columns, rows, { columns: undefined, colour: true })
    expect(text).toContain('\u001b[31mshort')
    expect(renderTable(columns, rows, { columns: undefined, colour: false })).not.toContain('\u001b')
  })

  it('leaves out columns of a narrow terminal before it cuts others to little, also on later pages', () => {
    const [id, count, note, more] = columns
    const some = [id!, { ...count!, leaveOut: 2 }, note!, { ...more!, leaveOut: 1 }]
    const table = createTable(some, { columns: 28, colour: false })
    expect(table(rows)).toBe('ID      COUNT  NOTE\nexe_1       5  short\nexe_22  12345  a longer not…\n')
    expect(table([{ id: 'exe_3', count: 1, note: '', more: 'x' }])).toBe('exe_3      1\n')
  })

  it('has no title on the pages after the first', () => {
    const table = createTable(columns, { columns: undefined, colour: false })
    expect(table(rows)).toContain('COUNT')
    expect(table(rows)).not.toContain('COUNT')
  })
})

describe('fields', () => {
  it('are aligned, and left out without a value', () => {
    expect(
      renderFields(
        [
          ['a', '1'],
          ['long', 'x\ny'],
          ['none', undefined],
        ],
        { colour: false },
      ),
    ).toBe('a     1\nlong  x\n      y\n')
  })
})
