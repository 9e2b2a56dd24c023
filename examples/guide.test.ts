// Checks that README.md, that of the client and the guide show the example code, and that the code of the guide runs.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../src-sdk/index.ts'
import { compileProject } from '../src-runtime/source/build-project.ts'
import { describeEvent } from '../src-runtime/source/describe-event.ts'
import { MAIN, startWes } from '../src-cli/wes.test-support.ts'
import { approveOrder } from './guide/use-client.ts'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = join(ROOT, 'docs/guide')
const run = promisify(execFile)
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }

type Block = { readonly page: string; readonly language: string; readonly source: string; readonly text: string }

const blocks: Block[] = []
const guidePages = (await readdir(GUIDE)).filter((name) => name.endsWith('.md')).map((name) => `docs/guide/${name}`)
for (const page of ['README.md', 'src-sdk/README.md', ...guidePages]) {
  const text = await readFile(join(ROOT, page), 'utf8')
  for (const [, info = '', code = ''] of text.matchAll(/^```(.+)\n([^]*?)^```$/gm)) {
    const [language = '', source = ''] = info.split(' file=')
    blocks.push({ page, language, source, text: code })
  }
}

/** The text of a region without its markers, or of a whole file. */
const regionOf = async (source: string): Promise<string> => {
  const [file = '', region] = source.split('#')
  const text = await readFile(join(ROOT, file), 'utf8')
  if (region === undefined) return text
  const mark = (kind: string) => new RegExp(`^ *(?://|#) #${kind} ${region}\\n`, 'm')
  const [, after = ''] = text.split(mark('region'))
  const [inside = '', rest] = after.split(mark('endregion'))
  if (rest === undefined) expect.fail(`${file} has no region ${region}`)
  return inside
}

describe('the code in the guide', () => {
  it('exists', () => {
    expect(new Set(blocks.map(({ page }) => page)).size).toBe(8)
    expect(blocks.length).toBeGreaterThan(20)
  })

  it.each(blocks.filter(({ source }) => source !== ''))('$page: is $source', async ({ source, text }) => {
    const found = await regionOf(source)
    if (source.includes('#')) expect(text).toBe(found)
    else expect(found).toContain(text)
  })

  it('names its file', () => {
    const unnamed = blocks
      .filter(({ page, language, source }) => source === '' && (!page.endsWith('README.md') || language === 'ts'))
      .map(({ text }) => text)
    // src-cli/new/new-project.test.ts tests how a project is created.
    expect(unnamed).toEqual(['wes new ../my-shop\ncd ../my-shop\nnpm install\nnpm run dev\n'])
  })

  it('passes its tests', async () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const cwd = join(import.meta.dirname, 'guide')
    const { stdout } = await run(process.execPath, [vitest, 'run'], { cwd, env: environment })
    expect(stdout).toMatch(/Test Files {2}4 passed \(4\)/)
  })

  it('is refused by the compiler with the errors in the guide', async () => {
    const refused = join(import.meta.dirname, 'guide/refused')
    const { errors } = await compileProject({ folder: refused })
    const told = describeEvent({ kind: 'failed', path: '', errors })
    expect(told).toBe(await readFile(join(refused, 'errors.txt'), 'utf8'))
  })

  it('runs in a terminal', async () => {
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'wes-guide-')))
    const cwd = join(parent, 'my-shop')
    await cp(join(ROOT, 'src-cli/new/template'), cwd, { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    for (const name of ['membership.ts', 'membership.effects.ts']) {
      await cp(join(import.meta.dirname, 'guide/programs', name), join(cwd, 'programs', name))
    }
    const dev = startWes(['dev', '--port', '0', '--data-dir', join(parent, 'data')], { cwd })
    try {
      let told = ''
      dev.stdout?.setEncoding('utf8').on('data', (text: string) => (told += text))
      dev.stderr?.setEncoding('utf8').on('data', (text: string) => (told += text))
      await vi.waitFor(() => expect(told).toMatch(/2 Programs in/))
      const url = /^ready (\S+)$/m.exec(told)?.[1] ?? ''
      const env = { ...environment, SERVICE_RUNTIME_URL: url }

      const commands = await readFile(join(import.meta.dirname, 'guide/commands.sh'), 'utf8')
      const script = `wes() { '${process.execPath}' '${MAIN}' "$@"; }\n${commands}`
      const { stdout } = await run('bash', ['-c', script], { cwd, env })
      expect(stdout).toMatch(/"status": "charged"/)
      expect(stdout).toMatch(/effect_completed +2 +chargeCard/)
      expect(stdout).toContain('built order-approval artifacts/order-approval.program.json')

      vi.stubEnv('SERVICE_RUNTIME_URL', url)
      expect(await approveOrder('o-9', 5)).toEqual({ status: 'paid', by: 'Grace', receipt: 'receipt-o-9' })

      const client = createClient()
      const { id, result } = await client.start<{ nextId: string }>('membership', { member: 'Ada', year: 2027 })
      await vi.waitFor(() => client.fireCommand(id, 2))
      const { nextId } = await result()
      expect(await client.getExecution(nextId)).toMatchObject({ label: 'Ada 2028', status: 'waiting' })
    } finally {
      vi.unstubAllEnvs()
      const closed = once(dev, 'close')
      dev.kill('SIGTERM')
      await closed
      await rm(parent, { recursive: true })
    }
  })
})
