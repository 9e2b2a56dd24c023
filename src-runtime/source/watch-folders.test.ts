import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchFolders } from './watch-folders.ts'

it('watches nothing more once it was stopped, also when a scan ends after that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const told = new Set<string>()
  const stopped = watchFolders(
    () => told.add('stopped'),
    () => {},
  )
  const running = watchFolders(
    () => told.add('running'),
    () => {},
  )
  onTestFinished(running.stop)
  stopped.stop()
  stopped.set([folder])
  running.set([folder])
  await vi.waitFor(() => {
    writeFileSync(join(folder, 'a.ts'), '')
    expect(told).toContain('running')
  })
  expect(told).not.toContain('stopped')
})
