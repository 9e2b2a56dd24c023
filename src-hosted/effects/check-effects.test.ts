import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createCheckEffects } from './check-effects.ts'

const check = createCheckEffects(new AbortController().signal)

describe('the check of effects', () => {
  test.each([
    ['imports, and a top-level await', 'import { x } from "nowhere"\nawait x\nexport const a = () => import.meta.url'],
    ['code that would throw', 'throw new Error("must not run")'],
    ['half a megabyte on one line', `export const a = () => [${'"ü", '.repeat(80_000)}]`],
  ])('accepts %s', async (_what, code) => {
    expect(await check('wsp_1', { code })).toBeUndefined()
  })

  test('refuses code that does not parse, with its line and column', async () => {
    const code = 'export const a = 1\n\texport const b = (;'
    expect(await check('wsp_1', { code })).toBe(
      "The effects cannot be loaded: SyntaxError: Unexpected token ';'\n    at effects.js:2:20",
    )
    const wide = `export const a = [${'"ü", '.repeat(80_000)});`
    expect(await check('wsp_1', { code: wide })).toMatch(
      /^The effects cannot be loaded: SyntaxError.*\n {4}at effects\.js:1$/,
    )
    expect(await check('wsp_1', { code: '('.repeat(100_000) })).toMatch(/cannot be loaded: RangeError/)
  })

  test('refuses code that would take gigabytes to parse', async () => {
    const code = `export const a = [${'x=>x,'.repeat(3_000_000)}]`
    expect(await check('wsp_1', { code })).toBe('The effects cannot be loaded: parsing them takes too much memory')
  })

  test('names the place in the source if there is a source map', async () => {
    const sourceMap = JSON.stringify({ version: 3, sources: ['src/pay.effects.ts'], names: [], mappings: 'AAwCA' })
    expect(await check('wsp_1', { code: 'export { a }', sourceMap })).toMatch(/at src\/pay\.effects\.ts:41:1$/)
    expect(await check('wsp_1', { code: 'export { a }', sourceMap: 'none' })).toMatch(/at effects\.js:1:/)
  })

  test.each([
    ['the name of a source', { sources: ['x'.repeat(1_000_000)] }],
    ['the root of many sources', { sourceRoot: 'r'.repeat(10_000), sources: Array(10_000).fill('a') }],
  ])(
    'does without a source map in which %s is so long that this process may run out of memory',
    async (_what, parts) => {
      const sourceMap = JSON.stringify({ version: 3, names: [], mappings: 'AAAA', ...parts })
      expect(await check('wsp_1', { code: 'export { a }', sourceMap })).toMatch(/^.{0,200}\n {4}at effects\.js:1:\d+$/)
    },
  )

  test('goes on when a Ctrl-C reaches the processes of the terminal', async () => {
    const url = new URL('./check-effects.ts', import.meta.url).href
    const service = `process.on('SIGINT', () => {})
      const { createCheckEffects } = await import(${JSON.stringify(url)})
      const check = createCheckEffects(new AbortController().signal)
      const code = 'export const a = [' + 'x => x, '.repeat(100_000) + ']'
      const checked = check('wsp_1', { code })
      setImmediate(() => console.log('under way'))
      console.log(String(await checked.catch((error) => error)))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', service], { detached: true })
    let printed = ''
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString()
      if (printed === 'under way\n') process.kill(-child.pid!, 'SIGINT')
    })
    await once(child, 'close')
    expect(printed).toBe('under way\nundefined\n')
  })

  test('ends the checks that are under way, and those that wait, when the process stops', async () => {
    const stopped = new AbortController()
    const checkUntilStopped = createCheckEffects(stopped.signal)
    const checks = ['1', '2', '3'].map((value) => checkUntilStopped('wsp_1', { code: `export const a = ${value}` }))
    stopped.abort()
    for (const check of await Promise.allSettled(checks)) expect(check.status).toBe('rejected')
  })

  test('says nothing of the code while this process may open no more files, and goes on', async () => {
    const script = `
      import { closeSync, openSync } from 'node:fs'
      import { createCheckEffects } from ${JSON.stringify(new URL('check-effects.ts', import.meta.url).href)}
      const check = createCheckEffects(new AbortController().signal)
      const attempt = () => check('wsp_1', { code: 'export const a = 1' }).then(() => 'accepted', ({ code }) => code)
      const opened = []
      try { for (;;) opened.push(openSync('/dev/null')) } catch {}
      const without = await attempt()
      for (const descriptor of opened) closeSync(descriptor)
      console.log(without, await attempt())
      process.exit(0)`
    const shell = ['-c', 'ulimit -n 120; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
    expect((await promisify(execFile)('/bin/sh', shell)).stdout).toBe('EMFILE accepted\n')
  })
})
