import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { violationsOf } from './check-layers.ts'

const SCRIPT = join(import.meta.dirname, 'check-layers.ts')

describe('the layer check', () => {
  it.each([
    ['the engine importing the store', 'src-runtime/engine/a.ts', `import { x } from '../store/store.ts'`],
    [
      'the engine importing a type of another room',
      'src-runtime/engine/a.ts',
      `import type { X } from '../shared/ids.ts'`,
    ],
    ['the engine importing a built-in', 'src-runtime/engine/a.ts', `import { createHash } from 'node:crypto'`],
    ['the engine importing a package', 'src-runtime/engine/a.ts', `import { Type } from 'typebox'`],
    [
      'the sandbox importing a value of the engine',
      'src-runtime/sandbox/a.ts',
      `import { x } from '../engine/turn.ts'`,
    ],
    ['a shared module importing a room', 'src-runtime/shared/ids.ts', `import { x } from '../store/store.ts'`],
    ['a room importing the composition root', 'src-runtime/http/a.ts', `import { x } from '../create-runtime.ts'`],
    ['the store reaching up to the worker', 'src-runtime/store/a.ts', `export * from '../worker/worker.ts'`],
    ['http reaching past operations', 'src-runtime/http/a.ts', `import type { Store } from '#runtime/store/store.ts'`],
    ['a re-export', 'src-runtime/http/a.ts', `export { x } from '../store/store.ts'`],
    ['a dynamic import', 'src-runtime/http/a.ts', `const x = await import('../worker/worker.ts')`],
    ['a dynamic import that cannot be read', 'src-runtime/http/a.ts', `const x = await import(name)`],
    ['an inline import type', 'src-runtime/http/a.ts', `type X = import('../worker/worker.ts').Worker`],
    ['the command line going past create-runtime', 'src-cli/a.ts', `import { x } from '#runtime/store/open-store.ts'`],
    ['the desktop shell going past create-runtime', 'src-main/a.ts', `import { x } from '../src-runtime/http/app.ts'`],
    ['the page importing the runtime', 'src-renderer/a.ts', `import type { X } from '#contract/operations.ts'`],
    ['a feature importing another', 'src-renderer/features/a/b.tsx', `import { c } from '../d/c.tsx'`],
    ['a plain piece importing the client', 'src-renderer/ui/a.tsx', `import type { X } from '#sdk/index.ts'`],
    ['the page importing a built-in', 'src-renderer/a.ts', `import { join } from 'node:path'`],
    ['the client importing anything at all', 'src-sdk/a.ts', `import { request } from 'undici'`],
    ['electron outside the desktop shell', 'src-cli/a.ts', `import { app } from 'electron'`],
    ['the database driver outside the store', 'src-runtime/worker/a.ts', `import Database from 'better-sqlite3'`],
    ['SQL outside the store', 'src-runtime/worker/a.ts', `db.prepare('SELECT id FROM executions')`],
    ['SQL in a template outside the store', 'src-runtime/worker/a.ts', 'db.exec(`\n  delete from ${table}`)'],
    ['a room that is not in the table', 'src-runtime/cellar/a.ts', ''],
    ['a module of no room', 'src-runtime/a.ts', ''],
    ['a file that does not parse', 'src-runtime/worker/a.ts', 'const = 1'],
  ])('refuses %s', (_what, path, source) => {
    expect(violationsOf(path, source)).toHaveLength(1)
  })

  it.each([
    ['its own room', 'src-runtime/engine/a.ts', `import { x } from './b.ts'`],
    ['the engine from the store', 'src-runtime/store/a.ts', `import { x } from '../engine/journal.ts'`],
    ['the engine’s types from the sandbox', 'src-runtime/sandbox/a.ts', `import type { X } from '../engine/turn.ts'`],
    ['inline type imports', 'src-runtime/sandbox/a.ts', `import { type X, type Y } from '../engine/turn.ts'`],
    ['the data directory’s lock', 'src-runtime/data-directory/a.ts', `import { takeLock } from '../store/lock.ts'`],
    ['data', 'src-runtime/create-runtime.ts', `import about from '../package.json' with { type: 'json' }`],
    ['effects loading what authors wrote', 'src-runtime/effects/a.ts', `const x = await import(bundle)`],
    ['shared modules', 'src-runtime/worker/a.ts', `import { createIds } from '../shared/ids.ts'`],
    ['the client from the command line', 'src-cli/a.ts', `import { createClient } from 'workflow-execution-service'`],
    ['the client from the page', 'src-renderer/api/a.ts', `import { createClient } from '#sdk/create-client.ts'`],
    ['a feature importing its own', 'src-renderer/features/a/b.tsx', `import { c } from './d/c.tsx'`],
    ['electron in the desktop shell', 'src-main/a.ts', `import { app } from 'electron'`],
    ['SQL in the store', 'src-runtime/store/a.ts', `db.prepare('SELECT 1')`],
    ['a regular expression’s exec', 'src-runtime/worker/a.ts', `/(\\d+)/.exec('12')`],
  ])('allows %s', (_what, path, source) => {
    expect(violationsOf(path, source)).toEqual([])
  })

  it('reports position and import', () => {
    expect(violationsOf('src-runtime/engine/a.ts', `\n\nimport { x } from '../store/store.ts'`)).toEqual([
      'src-runtime/engine/a.ts:3: engine may not import store (../store/store.ts)',
    ])
  })

  it('fails if it finds no modules', () => {
    const empty = temporaryFolder('layers')
    const run = spawnSync(process.execPath, [SCRIPT], { cwd: empty, encoding: 'utf8' })
    expect(run.status).toBe(1)
    expect(run.stderr).toContain('no module was found')
  })

  // It reads and parses every module: about a second of processor time, which a busy machine may take long to give.
  it('passes for this repository, and prints the number of modules', () => {
    const said = execFileSync(process.execPath, [SCRIPT], { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' })
    expect(said).toMatch(/^layers: [1-9]\d* modules, 0 violations$/m)
  })
})
