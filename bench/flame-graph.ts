// Draws a flame graph as SVG: one row for each depth of the stacks, each function as wide as its time.

import type { Place, Sampled } from './profiles.ts'

type Flame = { readonly place: Place; us: number; readonly callees: Map<string, Flame> }

const WIDTH = 1_600
const ROW = 17
const CHARACTER = 6.6
const MARGIN = 24
/** Narrower functions are left out. */
const LEAST_PIXELS = 0.4

export const drawFlameGraph = (title: string, sampled: readonly Sampled[]): string => {
  const root = flamesOf(sampled)
  const scale = WIDTH / root.us
  const boxes: string[] = []
  let deepest = 0
  const draw = (flame: Flame, from: number, depth: number): void => {
    let x = from
    for (const callee of [...flame.callees.values()].toSorted((one, other) => other.us - one.us)) {
      const width = callee.us * scale
      if (width >= LEAST_PIXELS) {
        deepest = Math.max(deepest, depth)
        boxes.push(boxOf(callee, { x, y: MARGIN + depth * ROW, width }, (100 * callee.us) / root.us))
        draw(callee, x, depth + 1)
      }
      x += width
    }
  }
  draw(root, 0, 0)
  const height = MARGIN + (deepest + 1) * ROW
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="4" y="15" font-size="13">${escape(title)}</text>`,
    ...boxes,
    '</svg>\n',
  ].join('\n')
}

const flamesOf = (sampled: readonly Sampled[]): Flame => {
  const root: Flame = { place: { name: '', module: '', part: '' }, us: 0, callees: new Map() }
  for (const { stack, us } of sampled) {
    root.us += us
    let flame = root
    for (const place of stack) {
      const key = `${place.name} ${place.module}`
      const callee = flame.callees.get(key) ?? { place, us: 0, callees: new Map<string, Flame>() }
      flame.callees.set(key, callee)
      callee.us += us
      flame = callee
    }
  }
  return root
}

type Box = { readonly x: number; readonly y: number; readonly width: number }

const boxOf = ({ place }: Flame, { x, y, width }: Box, percent: number): string => {
  const { name, module, part } = place
  const label = name.slice(0, Math.max(0, Math.floor((width - 4) / CHARACTER)))
  const about = `${name} ${module === '' ? part : module}: ${percent.toFixed(1)} %`
  const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(part)}"/>`
  const text = label.length < 2 ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escape(label)}</text>`
  return `<g><title>${escape(about)}</title>${box}${text}</g>`
}

/** The same for all functions of a part. */
const colourOf = (part: string): string => {
  const hash = [...part].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 360, 7)
  return `hsl(${hash} 65% 78%)`
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
