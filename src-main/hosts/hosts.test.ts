import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { findNode, isNewEnough } from './find-node.ts'
import { nodeForkAt } from './node-fork.ts'

const folder = (): string => temporaryFolder('node')

/** A program that reports this version of Node. */
const pretend = (home: string, path: string, version: string): string => {
  const bin = join(home, path)
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'node'), `#!/bin/sh\necho ${version}\n`)
  chmodSync(join(bin, 'node'), 0o755)
  return bin
}

describe('the user’s Node', () => {
  it('is the first one on the PATH that is new enough', async () => {
    const home = folder()
    const path = [pretend(home, 'old', 'v20.11.0'), pretend(home, 'odd', 'hello'), pretend(home, 'new', 'v22.16.0')]
    expect(await findNode({ PATH: path.join(':') }, home, 'linux')).toEqual({
      path: join(home, 'new/node'),
      version: 'v22.16.0',
    })
  })

  it('is found in the folders of version managers, newest first', async () => {
    const home = folder()
    for (const version of ['v9.9.0', 'v24.2.0', 'v24.10.0']) {
      pretend(home, `.nvm/versions/node/${version}/bin`, version)
    }
    expect(await findNode({ PATH: '' }, home, 'linux')).toMatchObject({ version: 'v24.10.0' })
  })

  it.each([
    '.volta/bin',
    '.local/share/fnm/aliases/default/bin',
    'Library/Application Support/fnm/aliases/default/bin',
    '.local/share/mise/shims',
    '.asdf/shims',
  ])('is found in ~/%s', async (path) => {
    const home = folder()
    pretend(home, path, 'v24.10.0')
    expect(await findNode({ PATH: '' }, home, 'darwin')).toMatchObject({ path: join(home, path, 'node') })
  })

  it('is 22.15 or newer, which supports the permissions for schemas', () => {
    const versions = ['v24.1.0', 'v22.15.0', 'v22.14.9', 'v8.99.0', 'node', '']
    expect(versions.map(isNewEnough)).toEqual([true, true, false, false, false, false])
  })
})

describe('a child process in the user’s Node', () => {
  it('has only its channel to the runtime and the given environment', async () => {
    const file = join(folder(), 'child.cjs')
    writeFileSync(
      file,
      'process.on("message", (m) => process.send({ m, argv: process.argv[2], env: Object.keys(process.env) }))',
    )
    const child = nodeForkAt(process.execPath, (path) => path).start(file, ['--x'], {
      env: { ONLY: 'this' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.send({ at: new Date(0) }, () => undefined)
    const [answer] = (await once(child as unknown as NodeJS.EventEmitter, 'message')) as [{ env: string[] }]
    expect(answer).toMatchObject({ m: { at: new Date(0) }, argv: '--x' })
    expect(answer.env).toContain('ONLY')
    expect(answer.env.filter((name) => /ELECTRON|PATH|HOME/.test(name))).toEqual([])
  })
})
