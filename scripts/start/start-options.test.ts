import { describe, expect, it } from 'vitest'
import { parseStart } from './start-options.ts'

const read = (...args: readonly string[]) => parseStart(args, '/home/ada', {})
const options = (changes: object) => ({
  kind: 'run',
  options: { home: 'any', project: undefined, port: undefined, ...changes },
})

describe('the options', () => {
  it('choose a window if possible, by default', () => {
    expect(read()).toEqual(options({}))
    expect(read('--desktop')).toEqual(options({ home: 'desktop' }))
    expect(read('--browser')).toEqual(options({ home: 'browser' }))
  })

  it('resolve the project against the user’s folder', () => {
    expect(read('--project', 'shop')).toEqual(options({ project: '/home/ada/shop' }))
    expect(read('--project=/srv/shop')).toEqual(options({ project: '/srv/shop' }))
  })

  it('contain the port', () => {
    expect(read('--port', '0')).toEqual(options({ port: 0 }))
    expect(read('--port=65535')).toEqual(options({ port: 65_535 }))
  })

  it('may ask for help', () => {
    for (const flag of ['--help', '-h']) expect(read(flag, '--browser')).toEqual({ kind: 'help' })
  })

  it('that npm took for itself are named', () => {
    const env = { npm_lifecycle_event: 'start', npm_config_project: 'true' }
    expect(parseStart(['shop'], '/home/ada', env)).toEqual({
      kind: 'wrong',
      message: 'npm took --project for itself: put -- in front of the options',
    })
    const ofAnotherScript = { ...env, npm_lifecycle_event: 'test' }
    expect(parseStart([], '/home/ada', ofAnotherScript)).toEqual(options({}))
    const browser = (value: string) => ({ npm_lifecycle_event: 'start', npm_config_browser: value })
    expect(parseStart([], '/home/ada', browser('true'))).toMatchObject({ kind: 'wrong' })
    expect(parseStart([], '/home/ada', browser('firefox')), 'of a file .npmrc').toEqual(options({}))
  })

  it.each([
    ['--port', '65536'],
    ['--port', 'x'],
    ['--port', '-1'],
    ['--port', ''],
    ['--port', '1e3'],
    ['--port'],
    ['--project', ''],
    ['--desktop', '--browser'],
    ['--desktop=yes'],
    ['--window'],
    ['shop'],
  ])('are refused: %s %s', (...args) => {
    expect(read(...args.filter((argument) => argument !== undefined))).toMatchObject({
      kind: 'wrong',
      message: expect.stringMatching(/./),
    })
  })
})
