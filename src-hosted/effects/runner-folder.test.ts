import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { makeRunnerFolder } from './runner-folder.ts'

const newParent = (): string => temporaryFolder('runners')

const MODULE = join(import.meta.dirname, 'runner-folder.ts')

it('leaves folders of those who are alive, and removes that of one who was killed', async () => {
  const parent = newParent()
  const mine = await makeRunnerFolder(parent)
  const code = `import('${MODULE}').then(async ({ makeRunnerFolder }) => {
    console.log((await makeRunnerFolder('${parent}')).path)
    setInterval(() => {}, 1_000)
  })`
  const other = spawn(process.execPath, ['--no-warnings', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void other.kill('SIGKILL'))
  const [killed] = (await once(createInterface(other.stdout), 'line')) as [string]
  const next = await makeRunnerFolder(parent)
  expect(readdirSync(parent)).toHaveLength(3)

  other.kill('SIGKILL')
  await once(other, 'exit')
  const last = await makeRunnerFolder(parent)
  expect(existsSync(killed)).toBe(false)
  expect(readdirSync(parent)).toHaveLength(3)
  for (const folder of [mine, next, last]) await folder.remove()
  await mine.remove()
  expect(readdirSync(parent)).toEqual([])
})

it('removes a folder without a socket only when it is old', async () => {
  const parent = newParent()
  const [young, old, foreign] = ['wes-effects-young', 'wes-effects-old', 'another'].map((name) => join(parent, name))
  for (const folder of [young!, old!, foreign!]) mkdirSync(folder)
  for (const folder of [old!, foreign!]) utimesSync(folder, 0, 0)
  const made = await makeRunnerFolder(parent)
  expect([young!, old!, foreign!].map((folder) => existsSync(folder))).toEqual([true, false, true])
  await made.remove()
})
