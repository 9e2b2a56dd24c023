import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseEngine } from './engine.ts'

const STAND_IN = join(import.meta.dirname, 'electron-standin/dist')

it('is the one that the environment names', () => {
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: STAND_IN })).toBe('stand-in')
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: `${STAND_IN}/` })).toBe('stand-in')
  expect(chooseEngine({ ELECTRON_OVERRIDE_DIST_PATH: '/somewhere/else' })).toBe('electron')
})

it('is whatever there is when the environment names none, and the environment names it from then on', () => {
  const env: NodeJS.ProcessEnv = {}
  const wasDownloaded = existsSync(join(import.meta.dirname, '../node_modules/electron/path.txt'))
  expect(chooseEngine(env)).toBe(wasDownloaded ? 'electron' : 'stand-in')
  expect(env['ELECTRON_OVERRIDE_DIST_PATH']).toBe(wasDownloaded ? undefined : STAND_IN)
})
