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
  const start = async (programId: string) => {
    const answer = await fetch(`${runtime.url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ programId }),
    })
    const { error } = (await answer.json()) as { readonly error?: { readonly code: string } }
    return [answer.status, error?.code]
  }
  return start
}

it('a Program of a new project can be started as soon as the runtime is ready', async () => {
  const start = await startIn({ 'programs/hello.ts': tinyProgram('hello') })
  expect(await Promise.all([start('hello'), start('hello'), start('goodbye')])).toEqual([
    [201, undefined],
    [201, undefined],
    [404, 'program_not_found'],
  ])
})

it('a Program whose evaluation takes longer than other Programs wait for it can be, too', async () => {
  const start = await startIn({ 'programs/hello.ts': tinyProgram('hello') }, 0)
  expect(await Promise.all([start('hello'), start('goodbye')])).toEqual([
    [201, undefined],
    [404, 'program_not_found'],
  ])
})

it('a Program that does not compile, or a folder without Programs, is answered without a long wait', async () => {
  const broken = await startIn({ 'programs/hello.ts': 'export default (' })
  expect(await broken('hello')).toEqual([404, 'program_not_found'])
  const empty = await startIn({})
  expect(await empty('hello')).toEqual([404, 'program_not_found'])
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
