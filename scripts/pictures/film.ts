// Takes still and animated WebP pictures of a page, with the tools of the Debian package `webp`.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'

const STEP_MS = 60
const STEPS_OF_A_MOVE = 6

const tool = (name: string, args: readonly string[]): void => {
  try {
    execFileSync(name, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
    throw new Error(`${name} is not installed (Debian: \`apt-get install webp\`, Homebrew: \`brew install webp\`)`, {
      cause: error,
    })
  }
}

/** Takes one picture of the page. */
export const takeStill = async (page: Page, file: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-picture-'))
  try {
    const png = join(folder, 'page.png')
    await page.screenshot({ path: png })
    tool('cwebp', ['-quiet', '-q', '82', '-m', '6', png, '-o', file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export type Film = {
  /** Shows the page for this time. */
  hold(ms: number): Promise<void>
  /** Moves the pointer there, and clicks. */
  click(target: Locator): Promise<void>
  /** Types, and takes a picture after every second character. */
  type(text: string): Promise<void>
  write(file: string): void
  dispose(): void
}

export const createFilm = (page: Page): Film => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-film-'))
  const frames: { readonly file: string; readonly ms: number }[] = []
  let pointer = { x: 620, y: 420 }

  const hold = async (ms: number): Promise<void> => {
    const file = join(folder, `${frames.length}.png`)
    writeFileSync(file, await page.screenshot())
    frames.push({ file, ms })
  }

  const moveTo = async (x: number, y: number): Promise<void> => {
    const from = pointer
    for (let step = 1; step <= STEPS_OF_A_MOVE; step++) {
      const share = (1 - Math.cos((Math.PI * step) / STEPS_OF_A_MOVE)) / 2
      pointer = { x: from.x + (x - from.x) * share, y: from.y + (y - from.y) * share }
      await page.mouse.move(pointer.x, pointer.y)
      await page.evaluate(showPointer, pointer)
      await hold(STEP_MS)
    }
  }

  return {
    hold,
    click: async (target) => {
      const box = await target.boundingBox()
      if (box === null) throw new Error(`nothing to click: ${target.toString()}`)
      await moveTo(box.x + box.width / 2, box.y + box.height / 2)
      await hold(250)
      await page.mouse.down()
      await page.mouse.up()
    },
    type: async (text) => {
      for (let start = 0; start < text.length; start += 2) {
        await page.keyboard.type(text.slice(start, start + 2))
        await hold(STEP_MS)
      }
    },
    write: (file) => {
      const named = frames.flatMap((frame) => ['-d', String(frame.ms), frame.file])
      tool('img2webp', ['-min_size', '-loop', '0', '-lossy', '-q', '72', '-m', '6', ...named, '-o', file])
    },
    dispose: () => rmSync(folder, { recursive: true }),
  }
}

type Element = { id: string; readonly style: object }
/** The part of a page's document that is used here; this module has Node's types. */
declare const document: {
  getElementById(id: string): Element | null
  createElement(name: 'div'): Element
  readonly body: { appendChild(child: Element): Element }
}

/** Draws a pointer in the page, because headless browsers draw none. */
const showPointer = ({ x, y }: { readonly x: number; readonly y: number }): void => {
  const id = 'pictures-pointer'
  const pointer = document.getElementById(id) ?? document.body.appendChild(document.createElement('div'))
  pointer.id = id
  Object.assign(pointer.style, {
    position: 'fixed',
    left: `${x}px`,
    top: `${y}px`,
    width: '18px',
    height: '24px',
    zIndex: '2147483647',
    pointerEvents: 'none',
    background: '#1e293b',
    filter: 'drop-shadow(0 0 1px #fff) drop-shadow(0 0 1px #fff)',
    clipPath: 'polygon(0 0, 0 80%, 24% 62%, 42% 100%, 58% 92%, 40% 56%, 72% 54%)',
  })
}
