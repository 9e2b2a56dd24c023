// Runs the plugin in a real vitest, in a separate project.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wes } from './vitest-plugin.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const FILES = {
  'package.json': '{ "type": "module" }',
  'vitest.config.ts': `
    import { defineConfig } from 'vitest/config'
    import { wes } from 'workflow-execution-service/testing'
    export default defineConfig({ plugins: [wes()] })`,
  'inner/shared.effects.ts': `export const shared = async (n: number): Promise<number> => n * 2`,
  'order.effects.ts': `
    import { defineEffect } from 'workflow-execution-service'
    export * from './inner/shared.effects.ts'
    export type Card = { cents: number }
    export const LIMIT = 7
    export async function charge(card: Card): Promise<string> { throw new Error('the real charge was called: ' + card.cents) }
    export const { refund, other: [again] } = { refund: async (_: Card) => 'real refund', other: [async () => 'real again'] }
    const notify = defineEffect({ retry: { maxAttempts: 1 } }, async (to: string) => 'told ' + to)
    export { notify as tell }
    export default async () => 'real default'`,
  'order.ts': `
    import { defineProgram } from 'workflow-execution-service'
    import last, { again, charge, LIMIT, refund, shared, tell } from './order.effects'
    export default defineProgram({ id: 'order' }, async (ctx) => [
      LIMIT, await charge({ cents: 1 }), await refund({ cents: 2 }), await again(), await tell('ada'), await last(),
      await shared(4), await ctx.effect(charge, { cents: 3 }),
    ])`,
  'order.test.ts': `
    import { expect, it } from 'vitest'
    import { createTestExecution, fake } from 'workflow-execution-service/testing'
    import { charge, tell } from './order.effects.ts'
    import order from './order.ts'
    it('replaces effects by fakes', async () => {
      const names = ['charge', 'refund', 'again', 'tell', 'default', 'shared']
      const effects = Object.fromEntries(names.map((name) => [name, (input: unknown) => [name, input ?? null]]))
      expect(await createTestExecution(order, undefined, { effects }).result()).toEqual([
        7, ['charge', { cents: 1 }], ['refund', { cents: 2 }], ['again', null], ['tell', 'ada'], ['default', null],
        ['shared', 4], ['charge', { cents: 3 }],
      ])
    })
    it('calls real effects directly', async () => {
      expect(await tell('grace')).toBe('told grace')
      await expect(charge({ cents: 9 })).rejects.toThrow('the real charge was called: 9')
    })
    it('fakes effects by reference', async () => {
      const run = createTestExecution(order, undefined, { effects: [fake(charge, () => 'mine')] })
      await expect(run.result()).rejects.toThrow('called effect "refund", and the test has no fake for it')
    })`,
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wes-plugin-'))
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const built = async (dist: string): Promise<void> => {
  await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(ROOT, 'src-sdk/tsconfig.build.json'), '--outDir', dist])
}

describe('the plugin', () => {
  it('schedules the effects that a Program calls, for every kind of export, installation and link', async () => {
    const installed = join(folder, 'node_modules/workflow-execution-service')
    const elsewhere = join(folder, '../', `${folder.split('/').at(-1)}-linked`)
    await built(join(elsewhere, 'dist'))
    cpSync(join(ROOT, 'src-sdk/package.json'), join(elsewhere, 'package.json'))
    try {
      for (const place of [cpSync, symlinkSync]) {
        rmSync(installed, { recursive: true, force: true })
        if (place === cpSync) cpSync(elsewhere, installed, { recursive: true })
        else symlinkSync(elsewhere, installed)
        const { stdout } = await run(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], {
          cwd: folder,
          env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
        }).catch((error: unknown) => {
          const { stdout, stderr } = error as { stdout: string; stderr: string }
          return expect.fail(stdout + stderr)
        })
        expect(stdout).toMatch(/Tests {2}3 passed/)
      }
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  it('does not change other modules', () => {
    const plugin = wes()
    const parse = (code: string) => parseSync('module.js', code).program
    expect(plugin.transform.call({ parse }, 'export const a = 1', '/p/order.ts')).toBeUndefined()
    expect(plugin.transform.call({ parse }, 'export const a = 1', '/p/order.effects.ts?wes-real')).toBeUndefined()
    expect(plugin.transform.call({ parse }, 'export const a = 1', '/p/order.effects.ts?v=1')).toContain(
      'export { own0 as "a" }',
    )
  })

  it('requires effects to be exported by name if it cannot know their names', () => {
    const parse = (code: string) => parseSync('module.js', code).program
    expect(() => wes().transform.call({ parse }, `export * from 'a-package'`, '/p/order.effects.ts')).toThrow(
      '/p/order.effects.ts: export * from "a-package": in tests, effects are exported by name',
    )
  })
})
