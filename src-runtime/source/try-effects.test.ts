import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFork } from '../shared/fork.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { failureInEmptyFolder } from './try-effects.ts'

it('the process has ended when its answer is there, because Windows removes no folder of one that runs', async () => {
  const start = vi.spyOn(nodeFork, 'start')
  onTestFinished(() => start.mockRestore())
  expect(await failureInEmptyFolder("throw new TypeError('wrong')")).toMatchObject({ message: 'wrong' })
  expect(start.mock.results[0]?.value).toMatchObject({ signalCode: 'SIGKILL' })
})

it('effects that are tried make no file and no socket by what Node’s permissions do not deny', async () => {
  const folder = temporaryFolder('try-effects')
  const [database, traces, socket] = ['a.sqlite', 'traces', 'socket'].map((name) => join(folder, name))
  const attempts: Readonly<Record<string, string>> = {
    database: `new DatabaseSync(${JSON.stringify(database)})`,
    traces: `v8.setFlagsFromString('--redirect-code-traces-to=${traces}'), v8.setFlagsFromString('--redirect-code-traces')`,
    socket: `Object.getOwnPropertySymbols(process).map((one) => process[one]).find((one) => one?.constructor?.name === 'Pipe').bind(${JSON.stringify(socket)})`,
  }
  const code = `import { DatabaseSync } from 'node:sqlite'
import { lookup } from 'node:dns'
import v8 from 'node:v8'
const refused = [typeof lookup]
${Object.entries(attempts)
  .map(([name, attempt]) => `try { ${attempt} } catch { refused.push('${name}') }`)
  .join('\n')}
throw new Error(refused.join())`
  expect((await failureInEmptyFolder(code))?.message).toBe(`function,${Object.keys(attempts).join()}`)
  expect([database, traces, socket].filter((path) => existsSync(path!))).toEqual([])
})
