// The figures as a table in Markdown: one row for each figure, one column for each number of Executions.

import { FIGURES, type FigureName, type Measured, type Samples } from './figures.ts'

/** The shortest of all samples, because other work on the machine only adds to them. */
const valueOf = (rounds: readonly Samples[], name: FigureName): number =>
  Math.min(...rounds.flatMap((round) => round[name] ?? []))

export type Line = {
  readonly title: string
  readonly points: readonly { readonly executions: number; readonly value: number }[]
  /** The last value divided by the first. */
  readonly growth: number
}

export const linesOf = (measured: Measured): readonly Line[] =>
  FIGURES.map(({ name, title }) => {
    const points = measured
      .map(({ executions, rounds }) => ({ executions, value: valueOf(rounds, name) }))
      .filter(({ value }) => Number.isFinite(value))
    const first = points.at(0)?.value ?? Number.NaN
    const last = points.at(-1)?.value ?? Number.NaN
    return { title, points, growth: last / first }
  }).filter(({ points }) => points.length > 0)

/** Three significant digits. */
export const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

export const growthTable = (measured: Measured): string => {
  const sizes = measured.map(({ executions }) => executions)
  const rows = linesOf(measured).map(({ title, points, growth }) => {
    const cells = sizes.map((size) => {
      const value = points.find(({ executions }) => executions === size)?.value
      return value === undefined ? '' : short(value)
    })
    return `| ${[title, ...cells, growth.toFixed(2)].join(' | ')} |`
  })
  const head = [
    'ms of processor time, with so many Executions in the store',
    ...sizes.map((size) => size.toLocaleString('en-US')),
    'times',
  ]
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...rows].join('\n')
}

const BEGIN = '<!-- growth: npm run bench:growth -- --docs writes this table -->'
const END = '<!-- /growth -->'

export const replaceTable = (page: string, table: string): string => {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from < 0 || to < from) throw new Error(`the page has no place for the table: ${BEGIN} … ${END}`)
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n\n${page.slice(to)}`
}
