import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../create-runtime.ts'
import { changeTimers, NEVER_MS } from '../shared/change-timers.test-support.ts'
import { createFirstRead } from './first-read.ts'
import { WAITED_FOR_MS } from './late-evaluations.ts'
import { createProject, tinyProgram } from './project.test-support.ts'

/**
 * No limit of some seconds ends here: a start is answered when the source has been read, however slow the machine is.
 * `waitedForMs`: how long others wait for an evaluation.
 */
const startIn = async (sources: Readonly<Record<string, string>>, waitedForMs = NEVER_MS) => {
  changeTimers((ms) => (ms === WAITED_FOR_MS ? waitedForMs : ms > WAITED_FOR_MS ? NEVER_MS : ms))
  const project = createProject(sources)
  const log = pino({ level: 'silent' })
  const runtime = await createRuntime({
    dataDir: join(project.folder, 'data'),
    port: 0,
    projectFolder: project.folder,
    log,
  })
  onTestFinished(async () => {
    await runtime.stop()
    project.dispose()
  })
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${runtime.url}/v1${path}`, init)
    const { error, items, reading } = (await answer.json()) as Answer
    return [answer.status, error?.code ?? reading ?? items?.length]
  }
  const start = (programId: string) =>
    ask('/executions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ programId }),
    })
  return { start, read: (path: string) => ask(path) }
}

type Answer = {
  readonly reading?: boolean
  readonly error?: { readonly code: string }
  readonly items?: readonly unknown[]
}

it('a Program of a new project can be started and read as soon as the runtime is ready', async () => {
  const { start, read } = await startIn({ 'programs/hello.ts': tinyProgram('hello') })
  const paths = ['/programs', '/programs/hello', '/programs/hello/versions', '/programs/goodbye']
  expect(await Promise.all([start('hello'), start('hello'), start('goodbye'), ...paths.map(read)])).toEqual([
    [201, undefined],
    [201, undefined],
    [404, 'program_not_found'],
    [200, 1],
    [200, undefined],
    [200, 1],
    [404, 'program_not_found'],
  ])
})

it('a Program whose evaluation takes longer than other Programs wait for it can be, too', async () => {
  const { start } = await startIn({ 'programs/hello.ts': tinyProgram('hello') }, 0)
  expect(await Promise.all([start('hello'), start('goodbye')])).toEqual([
    [201, undefined],
    [404, 'program_not_found'],
  ])
})

it('a Program that does not compile, or a folder without Programs, is answered without a long wait', async () => {
  const broken = await startIn({ 'programs/hello.ts': 'export default (' })
  expect(await broken.start('hello')).toEqual([404, 'program_not_found'])
  expect(await broken.read('/source')).toEqual([200, undefined])
  const empty = await startIn({})
  expect(await empty.start('hello')).toEqual([404, 'program_not_found'])
  expect(await empty.read('/programs')).toEqual([200, 0])
  expect(await empty.read('/source')).toEqual([200, undefined])
})

it('is waited for 10 s at most', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const read = createFirstRead()
  const waiting = read.wait()
  await vi.advanceTimersByTimeAsync(9_999)
  expect(await Promise.race([waiting, Promise.resolve('waiting')])).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBe(true)
  expect(await read.wait()).toBe(false)
})
