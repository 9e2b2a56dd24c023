// The figures as an SVG: one small plot for each, with the number of Executions on a logarithmic axis. The middle of a
// plot's axis is the value at the fewest Executions, so a flat line shows that a figure does not grow.

import type { Measured } from './figures.ts'
import { linesOf, short, type Line } from './table.ts'

const COLUMNS = 3
const PANEL = { width: 280, height: 150 }
/** Of the plot within its panel. */
const PLOT = { left: 12, top: 52, width: 236, height: 62 }

/** The plots show from a half to twice the first value, or more if a value is outside. */
const LEAST_RANGE = 2

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .title { fill: #1f2328; font-weight: 600 }
  .axis { stroke: #d0d7de; fill: none }
  .line { stroke: #0969da; fill: none; stroke-width: 2 }
  .point { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 }
    .title { fill: #f0f6fc }
    .axis { stroke: #3d444d }
    .line { stroke: #4493f8 }
    .point { fill: #4493f8 }
  }`

export const growthPicture = (measured: Measured): string => {
  const lines = linesOf(measured)
  const sizes = measured.map(({ executions }) => executions)
  const height = Math.ceil(lines.length / COLUMNS) * PANEL.height
  const panels = lines.map((line, index) => {
    const x = (index % COLUMNS) * PANEL.width
    const y = Math.floor(index / COLUMNS) * PANEL.height
    return `<g transform="translate(${x} ${y})">\n${panelOf(line, sizes)}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${COLUMNS * PANEL.width}" height="${height}" viewBox="0 0 ${
    COLUMNS * PANEL.width
  } ${height}" role="img" aria-label="What changes with the number of stored Executions">
<style>${STYLE}
</style>
${panels.join('\n')}
</svg>
`
}

const panelOf = ({ title, points, growth }: Line, sizes: readonly number[]): string => {
  const base = points[0]?.value ?? 1
  const range = Math.max(LEAST_RANGE, ...points.map(({ value }) => Math.max(value / base, base / value)))
  const span = Math.log(sizes.at(-1)! / sizes[0]!) || 1
  const placed = points.map(({ executions, value }) => ({
    executions,
    value,
    x: PLOT.left + (Math.log(executions / sizes[0]!) / span) * PLOT.width,
    y: PLOT.top + (PLOT.height / 2) * (1 - Math.log(value / base) / Math.log(range)),
  }))
  const middle = PLOT.top + PLOT.height / 2
  const bottom = PLOT.top + PLOT.height
  const words = wrapped(title)
  return [
    ...words.map((text, row) => `<text class="title" x="${PLOT.left}" y="${16 + row * 15}">${escaped(text)}</text>`),
    `<path class="axis" d="M${PLOT.left} ${middle}h${PLOT.width}"/>`,
    `<path class="line" d="M${placed.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}"/>`,
    ...placed.map(({ x, y }) => `<circle class="point" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3"/>`),
    ...placed.map(({ executions, x }, index) => {
      const anchor = index === 0 ? 'start' : index === placed.length - 1 ? 'end' : 'middle'
      return `<text x="${x.toFixed(1)}" y="${bottom + 14}" text-anchor="${anchor}">${shortCount(executions)}</text>`
    }),
    `<text x="${PLOT.left}" y="${PLOT.top - 6}">${short(base)} ms</text>`,
    `<text x="${PLOT.left + PLOT.width}" y="${PLOT.top - 6}" text-anchor="end">${short(
      points.at(-1)?.value ?? base,
    )} ms, × ${growth.toFixed(2)}</text>`,
  ].join('\n')
}

const LONGEST_TITLE = 40

/** In two lines at most. */
const wrapped = (title: string): readonly string[] => {
  if (title.length <= LONGEST_TITLE) return [title]
  const at = title.lastIndexOf(' ', LONGEST_TITLE)
  return [title.slice(0, at), title.slice(at + 1)]
}

const shortCount = (executions: number): string =>
  executions >= 1_000_000
    ? `${executions / 1_000_000} M`
    : executions >= 1_000
      ? `${executions / 1_000} k`
      : `${executions}`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '')
