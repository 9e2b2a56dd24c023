import { describe, expect, it } from 'vitest'
import { readRequest } from './read-wish.ts'

const read = (...args: readonly string[]) => readRequest(args, '/home/ada')
const wish = (changes: object) => ({
  kind: 'run',
  wish: { home: 'any', project: undefined, port: undefined, ...changes },
})

describe('a wish', () => {
  it('is a window where there can be one, unless it says otherwise', () => {
    expect(read()).toEqual(wish({}))
    expect(read('--desktop')).toEqual(wish({ home: 'desktop' }))
    expect(read('--browser')).toEqual(wish({ home: 'browser' }))
  })

  it('names a project from where the user is', () => {
    expect(read('--project', 'shop')).toEqual(wish({ project: '/home/ada/shop' }))
    expect(read('--project=/srv/shop')).toEqual(wish({ project: '/srv/shop' }))
  })

  it('names a port', () => {
    expect(read('--port', '0')).toEqual(wish({ port: 0 }))
    expect(read('--port=65535')).toEqual(wish({ port: 65_535 }))
  })

  it('asks for help', () => {
    for (const flag of ['--help', '-h']) expect(read(flag, '--browser')).toEqual({ kind: 'help' })
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
  ])('is wrong: %s %s', (...args) => {
    expect(read(...args.filter((argument) => argument !== undefined))).toMatchObject({
      kind: 'wrong',
      message: expect.stringMatching(/./),
    })
  })
})
