// Effects of the local runtime with linked packages that export TypeScript.

import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createCompiler } from '../source/compile.ts'
import { createEffectRig, type EffectRig } from './effect-project.test-support.ts'

const EFFECTS = `import { Kind, nested } from '@shop/kinds'
import { counts } from 'counts'
import { where } from 'plain'
export const all = async () => [Kind.b, nested(), counts.n, where]
`

const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { all } from './p.effects.ts'
export default defineProgram({ id: 'p' }, () => all())
`

const link = (rig: EffectRig, target: string, name: string): void => {
  const path = join(rig.folder, 'shop/node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(rig.folder, target), path, 'junction')
}

/** A workspace of the project and its packages, in which each has dependencies of its own, as with pnpm. */
const workspace = (): EffectRig => {
  const rig = createEffectRig()
  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(files)) rig.write(path, text)
  }
  write({
    'shop/package.json': '{"type":"module"}',
    'shop/programs/p.ts': PROGRAM,
    'shop/programs/p.effects.ts': EFFECTS,
    'shop/node_modules/counts/package.json': '{"main":"./index.js"}',
    'shop/node_modules/counts/index.js': 'exports.counts = { n: 1 }',
    'kinds/package.json': '{"type":"module","exports":"./index.ts","imports":{"#own":"./own.ts"}}',
    'kinds/index.ts': `export { nested } from '#own'\nexport enum Kind { a, b }\n`,
    'kinds/own.ts': `import { counts } from 'counts'\nimport only from 'only here'\nexport const nested = () => [counts.n, only]`,
    'kinds/node_modules/counts/package.json': '{"main":"./index.js"}',
    'kinds/node_modules/counts/index.js': 'exports.counts = { n: 2 }',
    'kinds/node_modules/only here/package.json': '{"type":"module","main":"./50%.js"}',
    'kinds/node_modules/only here/50%.js': `export default 'here'`,
    'plain/package.json': '{"type":"module","exports":"./index.js"}',
    'plain/index.js': `import { basename } from 'node:path'\nexport const where = basename(import.meta.filename)`,
  })
  link(rig, 'kinds', '@shop/kinds')
  link(rig, 'plain', 'plain')
  return rig
}

it('linked TypeScript is compiled, and imports its own packages; other packages are imported as they are', async () => {
  const rig = workspace()
  const compiler = createCompiler({ folder: join(rig.folder, 'shop') })
  const [compiled] = await compiler.compile(['programs/p.ts'])
  compiler.stop()
  expect(compiled!.errors).toEqual([])
  expect(compiled!.inputs).toEqual(expect.arrayContaining(['../kinds/index.ts', '../kinds/own.ts']))
  const { code } = compiled!.programs[0]!.artifact.effects!
  expect(code).toContain(`from "counts"`)
  expect(code).toContain(`from "plain"`)
  rig.deploy('ver_1', code, { folder: join(rig.folder, 'shop'), effects: [{ name: 'all', options: {} }] })
  expect(await rig.result('all')).toEqual([1, [2, 'here'], 1, 'index.js'])
})
