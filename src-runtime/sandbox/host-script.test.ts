import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { CODE_FILE, SCRIPT_FILE } from './host-script.ts'

let folder = ''

beforeEach(() => {
  folder = temporaryFolder('host-script')
  writeFileSync(
    join(folder, SCRIPT_FILE),
    `globalThis.ran = [(() => 6 * 7)(), require('node:path').extname('a.b'), __dirname]`,
  )
})

/** In another process, because V8 keeps what it has compiled. */
const run = (): unknown => {
  const module = new URL('./host-script.ts', import.meta.url).href
  const text = `
    const { runHostScript } = await import(${JSON.stringify(module)})
    const script = runHostScript(${JSON.stringify(folder)})
    const code = script.createCachedData().toString('base64')
    console.log(JSON.stringify({ ran, isRejected: script.cachedDataRejected, code }))`
  const out = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', text], { encoding: 'utf8' })
  return JSON.parse(out)
}

const ran = () => ({ ran: [42, '.b', folder], code: expect.any(String) as string })

test('a host runs with V8’s code of its script', () => {
  const { code } = run() as { code: string }
  writeFileSync(join(folder, CODE_FILE), Buffer.from(code, 'base64'))
  expect(run()).toEqual({ ...ran(), isRejected: false })
})

test('a host runs without V8’s code, or with that of another version, and writes none', () => {
  expect(run()).toEqual(ran())
  expect(readdirSync(folder)).toEqual([SCRIPT_FILE])
  writeFileSync(join(folder, CODE_FILE), 'of another version')
  expect(run()).toEqual({ ...ran(), isRejected: true })
  expect(readFileSync(join(folder, CODE_FILE), 'utf8')).toBe('of another version')
})
