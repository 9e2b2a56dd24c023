import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from './create-runtime.ts'

vi.mock('./source/create-source.ts', () => ({
  createSource: () => {
    throw new Error('there is no compiler for this machine')
  },
}))

it('stops, and gives its data directory back, also when the compiler could not be loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'programs'))
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) })
  const start = () => createRuntime({ dataDir: join(folder, 'data'), port: 0, projectFolder: folder, log })
  const first = await start()
  await vi.waitFor(() => expect(logged.join()).toContain('the project cannot be read'))
  await first.stop()
  const second = await start()
  await second.stop()
})
