// The code that a start keeps for the next one.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { runScript } from './compile-cache.mjs'

let bundle = ''

beforeEach(() => {
  bundle = temporaryFolder('script')
  vi.stubEnv('XDG_CACHE_HOME', join(bundle, 'home'))
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  // Its own text in each test, because V8 keeps what it has compiled in this process.
  const text = `exports.sum = (...all) => all.reduce((a, b) => a + b); exports.at = __dirname // ${bundle}`
  writeFileSync(join(bundle, 'some.cjs'), text)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const run = (folder = join(bundle, 'cache')): unknown => {
  const { sum, at } = runScript(join(bundle, 'some.cjs'), folder) as { sum(...all: number[]): number; at: string }
  return { sum: sum(1, 2, 3), at }
}
const ran = () => ({ sum: 6, at: bundle })

/** The names of the files that the start has written once it is over. */
const written = async (folder: string): Promise<readonly string[]> => {
  vi.runAllTimers()
  vi.useRealTimers()
  return vi.waitFor(() => {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
    expect(names).toHaveLength(1)
    return names
  })
}

test('a script runs the same with the code of an earlier start, and does not write it again', async () => {
  expect(run()).toEqual(ran())
  const folder = join(bundle, 'cache')
  const [name = ''] = await written(folder)
  const code = readFileSync(join(folder, name))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  expect(run()).toEqual(ran())
  expect(vi.getTimerCount()).toBe(0)
  expect(readFileSync(join(folder, name))).toEqual(code)
})

test('code that is not for this script or this Node is replaced', async () => {
  const folder = join(bundle, 'cache')
  const name = `${basename(bundle)}-some.cjs-${process.version}-${process.arch}`
  mkdirSync(folder)
  writeFileSync(join(folder, name), 'of another Node')
  expect(run()).toEqual(ran())
  vi.runAllTimers()
  vi.useRealTimers()
  await vi.waitFor(() => expect(readFileSync(join(folder, name)).length).toBeGreaterThan(500))
})

test('code is kept in the user’s own folder if that of the bundle cannot be written', async () => {
  const folder = join(bundle, 'cache')
  writeFileSync(folder, 'a file, in which nothing can be written')
  expect(run()).toEqual(ran())
  await written(join(bundle, 'home/wes/compile-cache'))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  expect(run()).toEqual(ran())
  expect(vi.getTimerCount()).toBe(0)
})

test.each(['', 'relative'])(
  'code is kept nowhere if only a folder below the current one is left, by HOME="%s"',
  (home) => {
    const folder = join(bundle, 'cache')
    writeFileSync(folder, 'a file, in which nothing can be written')
    vi.stubEnv('XDG_CACHE_HOME', undefined)
    vi.stubEnv('HOME', home)
    expect(run()).toEqual(ran())
    vi.runAllTimers()
    expect(existsSync(home === '' ? '.cache' : home)).toBe(false)
  },
)
