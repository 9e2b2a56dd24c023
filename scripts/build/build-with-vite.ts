// Builds single parts of electron.vite.config.ts, where `electron-vite build` builds all. Moves the finished page into
// place, so that a runtime never serves half of it, and a failed build keeps the last one.

import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resolveConfig } from 'electron-vite'
import { build } from 'vite'

const OUT = join(import.meta.dirname, '../../out')
const PARTS = ['main', 'preload', 'renderer'] as const

const buildParts = async (names: readonly string[]): Promise<void> => {
  // Without this, electron-vite uses the configuration of its development server.
  process.env['NODE_ENV_ELECTRON_VITE'] = 'production'
  const { config } = await resolveConfig({ logLevel: 'warn' }, 'build', 'production')
  for (const part of PARTS) {
    const options = config?.[part]
    if (!names.includes(part) || options === undefined) continue
    if (part !== 'renderer') {
      await build(options)
      continue
    }
    const next = join(OUT, `renderer-${process.pid}`)
    try {
      await build({ ...options, build: { ...options.build, outDir: next, emptyOutDir: true } })
      putInPlace(next, join(OUT, 'renderer'))
    } finally {
      rmSync(next, { recursive: true, force: true })
    }
  }
}

const MOST_TRIES = 5

const putInPlace = (next: string, place: string): void => {
  const old = `${place}-old-${process.pid}`
  for (let tries = 1; ; tries++) {
    rmSync(old, { recursive: true, force: true })
    if (existsSync(place)) renameSync(place, old)
    try {
      renameSync(next, place)
      break
    } catch (error) {
      if (tries === MOST_TRIES) throw error // else another build was moved there in between
    }
  }
  rmSync(old, { recursive: true, force: true })
}

try {
  await buildParts(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
