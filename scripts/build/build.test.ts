import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { buildStale } from './build.ts'
import { fingerprintOf } from './freshness.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder('build')
})
const write = (path: string, text: string): void => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

describe('a fingerprint', () => {
  const of = () => fingerprintOf({ inputs: ['src/**/*.*'] }, root)

  it('changes with the content, the names and the number of files', () => {
    write('src/a.ts', 'one')
    const seen = new Set([of()])
    write('src/a.ts', 'two')
    seen.add(of())
    write('src/b/c.ts', '')
    seen.add(of())
    rmSync(join(root, 'src/a.ts'))
    seen.add(of())
    expect(seen.size).toBe(4)
  })

  it('does not change with file times, tests and packages', () => {
    write('src/a.ts', 'one')
    const before = of()
    utimesSync(join(root, 'src/a.ts'), 1, 1)
    write('src/a.test.ts', '')
    write('src/a.spec.ts', '')
    write('src/a.test-support.ts', '')
    write('src/node_modules/x/index.js', '')
    expect(of()).toBe(before)
  })
})

// The compiler is a file below the root, so a test can use its own.
describe('a build', () => {
  const tsc = (body: string) => write('node_modules/typescript/bin/tsc', body)
  const COUNTS = `
    const fs = require('node:fs')
    fs.mkdirSync('src-sdk/dist/src-sdk', { recursive: true })
    fs.appendFileSync('src-sdk/dist/src-sdk/index.js', 'x')`
  const built = () => readFileSync(join(root, 'src-sdk/dist/src-sdk/index.js'), 'utf8').length
  const build = async (): Promise<readonly string[]> => {
    const told: string[] = []
    await buildStale(['sdk'], (line) => told.push(line), root)
    return told
  }

  it('runs only if the output is missing or stale', async () => {
    tsc(COUNTS)
    write('src-sdk/index.ts', 'one')
    expect(await build()).toEqual(['building the client…'])
    expect(await build()).toEqual([])
    expect(built()).toBe(1)
    write('src-sdk/index.ts', 'two')
    await build()
    expect(built()).toBe(2)
    rmSync(join(root, 'src-sdk/dist'), { recursive: true })
    await build()
    expect(built()).toBe(1)
  })

  it('is stale if a file changed while it ran', async () => {
    tsc(`${COUNTS}\nfs.writeFileSync('src-sdk/index.ts', 'two')`)
    write('src-sdk/index.ts', 'one')
    await build()
    await build()
    expect(built()).toBe(2)
    expect(await build()).toEqual([])
  })

  it('fails with the output of the tool, and runs again next time', async () => {
    tsc(`console.log('index.ts(1,1): no'); process.exitCode = 2`)
    write('src-sdk/index.ts', 'one')
    await expect(build()).rejects.toThrow('the client cannot be built (exit code 2):\nindex.ts(1,1): no')
    tsc(COUNTS)
    expect(await build()).toHaveLength(1)
  })
})

describe('the command', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'build.ts'), ...args], { encoding: 'utf8' })

  it('prints its usage for an unknown target', () => {
    for (const args of [[], ['sdk', 'nothing'], ['--what']]) {
      const { status, stdout, stderr } = run(...args)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).not.toContain('    at ')
    }
    expect(run().stderr).toContain('sdk|dashboard|desktop')
  })
})

describe('the prepare script', () => {
  const PREPARE = join(import.meta.dirname, '../prepare.mjs')
  const prepare = (script: string) => spawnSync(process.execPath, [script], { encoding: 'utf8', env: {} })

  it('reports a failed build without failing the install', () => {
    write('scripts/prepare.mjs', readFileSync(PREPARE, 'utf8'))
    write('package.json', '{ "scripts": {} }')
    const without = prepare(join(root, 'scripts/prepare.mjs'))
    expect(without).toMatchObject({
      status: 0,
      stderr: 'Nothing was built: the build needs the development packages.\n',
    })
    for (const name of ['typescript', 'vite']) mkdirSync(join(root, 'node_modules', name), { recursive: true })
    write('scripts/build/build.ts', 'process.exitCode = 1')
    const failed = prepare(join(root, 'scripts/prepare.mjs'))
    expect(failed).toMatchObject({ status: 0, stderr: expect.stringContaining('`npm run build` tries again') })
    expect(existsSync(join(root, 'out'))).toBe(false)
  })
})
