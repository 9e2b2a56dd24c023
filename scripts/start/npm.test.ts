// `npm start` as npm runs it: in a shell, to which alone npm passes a signal.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from '../../src-runtime/shared/is-alive.ts'
import { restrictsUserNamespaces } from '../restricts-user-namespaces.ts'
import { desktopEnv, folder, folderWith } from './command.test-support.ts'

const npmStart = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { PATH, HOME } = process.env
  const child = spawn('npm', ['start', '--', ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH, HOME, npm_config_update_notifier: 'false', ...env },
    stdio: 'ignore',
    detached: true,
  })
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // Everything has ended.
    }
  })
  return child
}

/** Becomes its command, as some shells do. Others wait for it, and end at a signal without passing it on. */
const becomingShell = (): string => join(folderWith('sh', 'eval "exec $2"'), 'sh')

describe.skipIf(process.platform === 'win32')('npm start that gets SIGTERM', () => {
  it.each([
    ['the shell of the system', {}],
    ['a shell that becomes its command', { npm_config_script_shell: becomingShell }],
  ])('stops the runtime in order, in %s', async (_shell, config) => {
    const WES_DATA_DIR = folder()
    const info = join(WES_DATA_DIR, 'runtime.json')
    const shell = Object.fromEntries(Object.entries(config).map(([name, make]) => [name, make()]))
    const npm = npmStart(['--browser', '--port', '0'], { WES_DATA_DIR, ...shell })
    await vi.waitUntil(() => existsSync(info))
    const { pid } = JSON.parse(readFileSync(info, 'utf8')) as { readonly pid: number }
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    // The runtime removes it last.
    await vi.waitFor(() => expect(existsSync(info)).toBe(false))
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  })

  it.skipIf(restrictsUserNamespaces()).each([
    ['the shell of the system', {}],
    ['a shell that becomes its command', { npm_config_script_shell: becomingShell }],
  ])('passes it to the desktop app, in %s', async (_shell, config) => {
    const said = join(folder(), 'said')
    // It leads a group of its own, so it also ends when its folder is removed after the test.
    const dist = folderWith(
      'electron',
      `trap 'echo stopped > "${said}"; exit 0' TERM; echo up > "${said}"; while [ -e "${said}" ]; do sleep 0.05; done`,
    )
    const shell = Object.fromEntries(Object.entries(config).map(([name, make]) => [name, make()]))
    const npm = npmStart([], { ...desktopEnv, WES_DATA_DIR: folder(), ELECTRON_OVERRIDE_DIST_PATH: dist, ...shell })
    await vi.waitUntil(() => existsSync(said))
    npm.kill('SIGTERM')
    await vi.waitFor(() => expect(readFileSync(said, 'utf8')).toBe('stopped\n'))
  })
})
