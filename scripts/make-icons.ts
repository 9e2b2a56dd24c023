// Renders the icons of the desktop app from resources/icons/icon.svg, with the Chromium of the browser tests. Run
// `node scripts/make-icons.ts` when the SVG has changed, and commit the results.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { findBrowser } from './find-browser.ts'

const FOLDER = join(import.meta.dirname, '../resources/icons')
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256]
/** macOS draws a template image in the colour of its menu bar, and uses only the opacity. */
const template = (svg: string): string =>
  svg
    .replace(/<rect[^>]*\/>/, '')
    .replaceAll(/(fill|stroke)="#[0-9a-f]+"/g, '$1="#000"')
    .replace('viewBox="0 0 512 512"', 'viewBox="48 96 416 320"')

const draw = async (page: Page, svg: string, size: number): Promise<Buffer> => {
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`)
  return page.screenshot({ omitBackground: true })
}

/** An ICO file of PNGs, which every Windows version with Electron reads. */
const ico = (images: readonly (readonly [size: number, png: Buffer])[]): Buffer => {
  const header = Buffer.alloc(6 + 16 * images.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(images.length, 4)
  let offset = header.length
  images.forEach(([size, png], index) => {
    const at = 6 + 16 * index
    header.writeUInt8(size % 256, at)
    header.writeUInt8(size % 256, at + 1)
    header.writeUInt16LE(1, at + 4)
    header.writeUInt16LE(32, at + 6)
    header.writeUInt32LE(png.length, at + 8)
    header.writeUInt32LE(offset, at + 12)
    offset += png.length
  })
  return Buffer.concat([header, ...images.map(([, png]) => png)])
}

const executablePath = findBrowser()
const browser = await chromium.launch({
  ...(executablePath !== undefined && { executablePath }),
  chromiumSandbox: process.getuid?.() !== 0,
})
try {
  const page = await browser.newPage()
  const svg = readFileSync(join(FOLDER, 'icon.svg'), 'utf8')
  const pictures: readonly (readonly [name: string, svg: string, size: number])[] = [
    ['icon.png', svg, 1024],
    ['tray.png', svg, 24],
    ['tray@2x.png', svg, 48],
    ['trayTemplate.png', template(svg), 18],
    ['trayTemplate@2x.png', template(svg), 36],
  ]
  for (const [name, drawing, size] of pictures) writeFileSync(join(FOLDER, name), await draw(page, drawing, size))
  const images: (readonly [number, Buffer])[] = []
  for (const size of ICO_SIZES) images.push([size, await draw(page, svg, size)])
  writeFileSync(join(FOLDER, 'icon.ico'), ico(images))
} finally {
  await browser.close()
}
