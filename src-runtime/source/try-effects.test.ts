import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFork } from '../shared/fork.ts'
import { isAlive } from '../shared/is-alive.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { failureInEmptyFolder } from './try-effects.ts'

it('the process has ended when its answer is there, because Windows removes no folder of one that runs', async () => {
  const start = vi.spyOn(nodeFork, 'start')
  onTestFinished(() => start.mockRestore())
  expect(await failureInEmptyFolder("throw new TypeError('wrong')")).toMatchObject({ message: 'wrong' })
  expect(start.mock.results[0]?.value).toMatchObject({ signalCode: 'SIGKILL' })
})

it('effects that are tried make no file, no socket and no thread by what Node’s permissions do not deny', async () => {
  const folder = temporaryFolder('try-effects')
  const [database, traces, socket] = ['a.sqlite', 'traces', 'socket'].map((name) => join(folder, name))
  const attempts: Readonly<Record<string, string>> = {
    database: `new DatabaseSync(${JSON.stringify(database)})`,
    traces: `v8.setFlagsFromString('--redirect-code-traces-to=${traces}'), v8.setFlagsFromString('--redirect-code-traces')`,
    thread: "new Worker('', { eval: true })",
    socket: `Object.getOwnPropertySymbols(process).map((one) => process[one]).find((one) => one?.constructor?.name === 'Pipe').bind(${JSON.stringify(socket)})`,
  }
  const code = `import { DatabaseSync } from 'node:sqlite'
import { lookup } from 'node:dns'
import { Worker } from 'node:worker_threads'
import v8 from 'node:v8'
const refused = [typeof lookup]
${Object.entries(attempts)
  .map(([name, attempt]) => `try { ${attempt} } catch { refused.push('${name}') }`)
  .join('\n')}
throw new Error(refused.join())`
  expect((await failureInEmptyFolder(code))?.message).toBe(`function,${Object.keys(attempts).join()}`)
  expect([database, traces, socket].filter((path) => existsSync(path!))).toEqual([])
})

it('effects that loop as they load end when the build is killed, and the next one removes their folder, for which it looks once', async () => {
  const folder = temporaryFolder('killed')
  const building = `import { nodeFork } from './fork.ts'
import { failureInEmptyFolder } from '../source/try-effects.ts'
const { start } = nodeFork
nodeFork.start = (...given) => {
  const child = start(...given)
  return child.on('message', () => console.log(child.pid))
}
await failureInEmptyFolder("process.send('begun'); for (;;);")`
  const build = spawn(process.execPath, ['--input-type=module', '--eval', building], {
    cwd: join(import.meta.dirname, '../shared'),
    env: { ...process.env, TMPDIR: folder, TEMP: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(build.stdout, 'data')) as [Buffer]
  const pid = Number(said)
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  expect(isAlive(pid)).toBe(true)
  build.kill('SIGKILL')
  await vi.waitUntil(() => !isAlive(pid))
  const [left] = readdirSync(folder)
  utimesSync(join(folder, left!), 0, 0)
  vi.stubEnv('TMPDIR', folder).stubEnv('TEMP', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await failureInEmptyFolder('')).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
  mkdirSync(join(folder, left!))
  utimesSync(join(folder, left!), 0, 0)
  expect(await failureInEmptyFolder('')).toBeUndefined()
  expect(readdirSync(folder)).toEqual([left])
})
