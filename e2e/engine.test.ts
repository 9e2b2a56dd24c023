import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseEngine } from './engine.ts'

const STAND_IN = join(import.meta.dirname, 'electron-standin/dist')

it('is the one in the environment', () => {
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: STAND_IN })).toBe('stand-in')
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: `${STAND_IN}/` })).toBe('stand-in')
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: '/somewhere/else' })).toBe('electron')
})

it('is an available one if the environment names none, and is then set in the environment', () => {
  const env: NodeJS.ProcessEnv = {}
  const wasDownloaded = existsSync(join(import.meta.dirname, '../node_modules/electron/path.txt'))
  expect(chooseEngine(env)).toBe(wasDownloaded ? 'electron' : 'stand-in')
  expect(env['ELECTRON_OVERRIDE_DIST_PATH']).toBe(wasDownloaded ? undefined : STAND_IN)
})
