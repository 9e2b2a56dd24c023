// Creates a project, and does with it what its README says.

import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { wesHere } from '../wes-here.test-support.ts'
import { startWes } from '../wes.test-support.ts'
import { newProject } from './new-project.ts'

const ROOT = join(import.meta.dirname, '../..')

let parent: string
let folder: string
beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'wes-new-')))
  folder = join(parent, 'My Shop')
})
afterAll(() => rm(parent, { recursive: true }))

/** Installs without the network: the versions in the template are those of this repository. */
const install = async (): Promise<void> => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
  const all = { ...dependencies, ...devDependencies }
  for (const [name, version] of Object.entries(all)) {
    const source = version.startsWith('file:') ? version.slice('file:'.length) : join(ROOT, 'node_modules', name)
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
      version: string
      peerDependencies?: Record<string, string>
      peerDependenciesMeta?: Record<string, { optional?: boolean }>
    }
    const { version: installed, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
    // yarn installs no peers.
    const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
    expect(Object.keys(all), `what ${name} needs beside it`).toEqual(expect.arrayContaining(peers))
    if (!version.startsWith('file:')) expect(`${name}@${installed}`).toBe(`${name}@${version}`)
    await symlink(source, join(folder, 'node_modules', name))
  }
}

const inProject = async (script: string, ...args: readonly string[]): Promise<string> => {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'node_modules', script), ...args], {
    cwd: folder,
    env,
  })
  return stdout
}

describe('wes new', () => {
  it.each(['aux', 'C:\\Users\\ada\\shop.', 'shops/COM1.old'])(
    'refuses %s on Windows, which has no such folder',
    async (name) => {
      const terminal = undefined as never // nothing is printed
      await expect(newProject(name, terminal, { platform: 'win32' })).rejects.toThrow(
        `"${name}" cannot be the project’s folder: Windows`,
      )
    },
  )

  it('creates a project in a new folder, and prints the next steps', async () => {
    const { code, out, err } = await wesHere(['new', 'My Shop'], { cwd: parent })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`created 10 files in ${folder}`)
    expect(out).toContain("cd 'My Shop'\n  npm install\n  npm test\n  npm run dev\n")
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
      '.env.example',
      '.gitignore',
      'README.md',
      'package.json',
      'programs',
      'programs/order-approval.effects.ts',
      'programs/order-approval.test.ts',
      'programs/order-approval.ts',
      'tsconfig.json',
      'vitest.config.ts',
      'wes.config.ts',
    ])
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-shop',
      allowScripts: { node: true, [`file:${ROOT}`]: false },
    })
  })

  it('prints a path that shells do not take for a flag', async () => {
    const { out } = await wesHere(['new', './-x'], { cwd: parent })
    expect(out).toMatch(/^  cd .+[\\/]-x"?$/m)
  })

  it('says as JSON what it has created', async () => {
    const { out } = await wesHere(['new', 'other', '--json'], { cwd: parent })
    expect(JSON.parse(out)).toEqual({
      folder: join(parent, 'other'),
      files: expect.arrayContaining(['.gitignore', 'programs/order-approval.ts']),
    })
  })

  it('creates a project whose type check and tests pass', async () => {
    await install()
    expect(await inProject('typescript/bin/tsc')).toBe('')
    expect(await inProject('vitest/vitest.mjs', 'run')).toMatch(/Tests {2}2 passed \(2\)/)
  })

  it('creates a project that builds', async () => {
    const { code, out } = await wesHere(['build'], { cwd: folder })
    expect({ code, out }).toEqual({ code: 0, out: 'built order-approval dist/order-approval.program.json\n' })
  })

  it('creates a project that runs', async () => {
    const dev = startWes(['dev', '--port', '0', '--data-dir', join(parent, 'data')], { cwd: folder })
    try {
      const env = { SERVICE_RUNTIME_URL: await readyUrl(dev) }
      const input = '{"orderId":"o-1","cents":4200}'
      const start = async () => {
        const started = await wesHere(['start', 'order-approval', '--input', input], { env })
        expect(started).toMatchObject({ code: 0 })
        return started.out.trim()
      }
      const id = await vi.waitFor(start, { interval: 200 })
      expect(await wesHere(['send', id, 'approved', '{"by":"Grace"}'], { env })).toMatchObject({ code: 0 })
      const { out } = await wesHere(['result', id, '--wait', '--json'], { env })
      expect(JSON.parse(out)).toMatchObject({
        status: 'completed',
        result: { status: 'charged', by: 'Grace', receipt: 'receipt-o-1' },
      })
    } finally {
      const closed = once(dev, 'close')
      dev.kill('SIGTERM')
      await closed
    }
  })

  it('refuses a folder that is not empty, and changes nothing in it', async () => {
    const { code, out, err } = await wesHere(['new', 'My Shop'], { cwd: parent })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^wes: My Shop is not empty: it contains \.env\.example, \.gitignore, README\.md and \d+ more\n/,
    )
    expect(err).toContain('`wes new DIR`')
  })

  it.runIf(process.platform === 'linux')('says so where the system makes no folder', async () => {
    const { code, out, err } = await wesHere(['new', '/proc/x'], { cwd: parent })
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'wes: cannot write to /proc/x: the system makes no folder in /proc\n',
    })
  })

  it.runIf(process.platform === 'linux')('leaves no part of a project where it cannot write all of it', async () => {
    // Linux takes paths of 4,095 bytes: that of package.json, but not those below programs/.
    const deep = Array.from({ length: 4_070 }, (_, at) => (at % 200 === 0 ? '/' : 'a')).join('')
    const short = join(parent, deep).slice(0, 4_070)
    await mkdir(short, { recursive: true })
    for (const name of [short, join(short, 'b')]) {
      const { code, err } = await wesHere(['new', name], { cwd: parent })
      expect({ code, err }).toEqual({ code: 1, err: `wes: cannot write to ${name}: the name is too long\n` })
    }
    expect(await readdir(short)).toEqual([])
  })

  it('refuses a name that is too long for the system', async () => {
    const name = 'a'.repeat(300)
    const { code, err } = await wesHere(['new', name], { cwd: parent })
    expect({ code, err }).toEqual({ code: 1, err: `wes: cannot create a project in ${name}: the name is too long\n` })
  })

  it('accepts a folder that contains only a Git repository', async () => {
    const empty = join(parent, 'empty')
    await mkdir(join(empty, '.git'), { recursive: true })
    const { code, out } = await wesHere(['new'], { cwd: empty })
    expect(code).toBe(0)
    expect(out).toContain('Next:\n  npm install\n')
  })

  it('refuses the path of a file', async () => {
    await writeFile(join(parent, 'file'), '')
    const { code, err } = await wesHere(['new', 'file'], { cwd: parent })
    expect({ code, err }).toEqual({ code: 1, err: 'wes: cannot create a project in file: it is a file\n' })
  })
})

const readyUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let out = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const url = /^ready (\S+)\n/.exec(out)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('close', (code) => reject(new Error(`wes dev ended with ${code}`)))
  })
