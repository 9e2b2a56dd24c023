// npm runs scripts in `sh` on POSIX systems and in `cmd.exe` on Windows, so they contain only what both understand.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from '../src-runtime/shared/is-alive.ts'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'

const ROOT = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}
/** Node, npm or a program of node_modules/.bin: scripts have these on their path on every system. */
const PROGRAM = /^[a-z]+ /
/** Variables, quotes of `sh`, other operators than `&&`, patterns without quotes, settings before a program, files of `sh`. */
const OF_ONE_SHELL = /[$%'`;&|<>()^*\\]|^\w+=|\.sh\b/
const BUILT_IN = /^(?:exec|cd|export|source|set|test|true|rm|cp|mv|mkdir|cat|echo|env)\b/

describe('the npm scripts', () => {
  it.each(Object.entries(scripts))('%s runs in sh and in cmd.exe', (_name, script) => {
    for (const command of script.split(' && ')) {
      expect(`${command} `).toMatch(PROGRAM)
      expect(command).not.toMatch(BUILT_IN)
      expect(command.replaceAll(/"[^"$%]*"/g, '""')).not.toMatch(OF_ONE_SHELL)
    }
  })
})

// Windows has no signals between processes: there, a console ends all of its processes.
describe.skipIf(process.platform === 'win32')('a runtime that npm started', () => {
  const start = async (...command: readonly string[]) => {
    const dataDir = temporaryFolder('npm')
    const child = spawn('npm', ['run', '--silent', ...command], {
      cwd: ROOT,
      env: { ...process.env, WES_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A terminal sends Ctrl-C to all processes of the group.
      detached: true,
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    const exited = once(child, 'exit')
    await vi.waitUntil(() => out.includes('ready ') || child.exitCode !== null)
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { readonly pid: number }
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    })
    return { npm: child.pid!, exited, pid }
  }

  const WES = ['wes', '--', 'dev', '--port', '0', '--no-watch']

  it.each([
    ['wes', WES],
    ['start', ['start', '--', '--browser', '--port', '0']],
  ])('by `npm run %s` stops on Ctrl-C', async (_name, command) => {
    const { npm, exited, pid } = await start(...command)
    process.kill(-npm, 'SIGINT')
    await exited
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  // scripts/start/npm.test.ts shows the same of `npm start`.
  it('by `npm run wes` stops when npm is told to end', async () => {
    const { npm, exited, pid } = await start(...WES)
    process.kill(npm, 'SIGTERM')
    await exited
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
