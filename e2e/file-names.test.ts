// Project folders and files with names that systems, URLs or globs treat in their own way.

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pino from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../src-runtime/create-runtime.ts'
import { realPath } from '../src-runtime/shared/real-path.ts'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { createClient } from '../src-sdk/index.ts'

/** Windows refuses these characters in names. Esbuild takes a star for a pattern, on every system. */
const ELSEWHERE = process.platform === 'win32' ? '' : ' "?<>|:'
/** As macOS writes what is typed as one letter: a letter and its accent. */
const DECOMPOSED = 'Größe'.normalize('NFD')

/** Runs a project in `parent`, which may hold its data as well. */
const run = async (parent: string, sources: Readonly<Record<string, string>>) => {
  const root = realPath(temporaryFolder('names'))
  const folder = join(root, parent, 'project')
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(sources)) write(name, text)
  const runtime = await createRuntime({
    dataDir: join(root, parent, 'data'),
    port: 0,
    projectFolder: folder,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => runtime.stop())
  const client = createClient({ url: runtime.url })
  const programs = async () =>
    (await client.listPrograms()).items.map(({ id, latestVersion }) => [id, latestVersion.number])
  const untilPrograms = (ids: readonly string[]) =>
    vi.waitFor(async () => expect((await programs()).map(([id]) => id)).toEqual(ids))
  return { folder, client, write, programs, untilPrograms }
}

const program = (id: string, effects: string): string =>
  `import { defineProgram } from 'workflow-execution-service'
import { place } from ${JSON.stringify(effects)}
export default defineProgram({ id: '${id}' }, async (ctx) => { await ctx.sleep(1); return place() })
`
const EFFECTS = `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
export const place = async () => [
  import.meta.dirname,
  readFileSync(new URL('fact.txt', import.meta.url), 'utf8'),
  readFileSync(join(import.meta.dirname, 'fact.txt'), 'utf8'),
]
`

/** Whether this disk takes both spellings for one file. */
const isCaseInsensitive = (folder: string): boolean => {
  writeFileSync(join(folder, 'Case'), '')
  return existsSync(join(folder, 'cASE'))
}

describe('a project whose path has unusual names', () => {
  // Several kinds in one path, because each case starts a runtime.
  it.each([
    [
      'spaces, letters of other scripts, what has a meaning in URLs, and what Windows refuses',
      `my pröjects ${DECOMPOSED} 项目 🚀/100%25 #1; a&b=c+d@e~f%/x${ELSEWHERE}`,
    ],
    [
      'what has a meaning in globs, flags and shells, in more than 260 characters',
      `{a,b} (c) [d] !e $HOME \`f\` 'g', --h/${'long '.repeat(20)}path/${'long '.repeat(20)}path`,
    ],
  ])('runs Programs and effects: %s', async (_what, name) => {
    const { folder, client, untilPrograms } = await run(name, {
      [`programs/${name}/p.ts`]: program('odd', './p.effects.ts'),
      [`programs/${name}/p.effects.ts`]: EFFECTS,
      [`programs/${name}/fact.txt`]: 'a fact',
    })
    await untilPrograms(['odd'])
    const result = await (await client.start('odd')).result({ timeout: 60_000 })
    expect(result).toEqual([join(folder, 'programs', name), 'a fact', 'a fact'])
  })

  it('finds Programs by a glob that writes their letters in another way', async () => {
    const { client, untilPrograms } = await run('names', {
      'wes.config.json': JSON.stringify({ programs: [`shop/${'Größe'.normalize('NFC')}.ts`] }),
      [`shop/${DECOMPOSED}.ts`]: program('size', './size.effects.ts'),
      'shop/size.effects.ts': EFFECTS,
      'shop/fact.txt': 'a fact',
    })
    await untilPrograms(['size'])
    expect(await (await client.start('size')).result({ timeout: 60_000 })).toContain('a fact')
  })
})

describe('files whose names differ only in case', () => {
  it('are one Program after a rename', async () => {
    const { folder, client, programs, untilPrograms } = await run('renamed', {
      'programs/order.ts': program('order', './order.effects.ts'),
      'programs/order.effects.ts': EFFECTS,
      'programs/fact.txt': 'a fact',
    })
    await untilPrograms(['order'])
    const before = await programs()
    renameSync(join(folder, 'programs/order.ts'), join(folder, 'programs/Order.ts'))
    await vi.waitFor(async () => {
      const source = await client.getSource()
      expect(source.programs).toEqual([{ id: 'order', path: 'programs/Order.ts' }])
      expect(source.errors).toEqual([])
    })
    // The new version's errors name the new file.
    expect(await programs()).toEqual(before.map(([id]) => [id, 2]))
    expect((await (await client.start('order')).result({ timeout: 60_000 })) as unknown[]).toContain('a fact')
  })

  it('are two Programs on a disk that tells them apart', async ({ skip }) => {
    const { folder, client, untilPrograms, write } = await run('both', {
      'programs/order.ts': program('one', './order.effects.ts'),
      'programs/order.effects.ts': EFFECTS,
    })
    if (isCaseInsensitive(folder)) skip('this disk holds only one of the two')
    await untilPrograms(['one'])
    write('programs/Order.ts', program('two', './order.effects.ts'))
    await untilPrograms(['one', 'two'])
    expect((await client.getSource()).errors).toEqual([])
  })
})
