import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { openSource } from './open-source.ts'
import type { SourceVersions } from './source.ts'

it('says nothing of the Programs of a folder if it is stopped before it has looked', async () => {
  const folder = temporaryFolder('opened')
  mkdirSync(join(folder, 'programs'))
  const onEvent = vi.fn()
  const read = Promise.withResolvers<void>()
  const source = openSource({
    folder,
    versions: {} as SourceVersions,
    log: pino({ level: 'silent' }),
    watch: false,
    wasProject: false,
    fork: undefined,
    onEvent,
    onRead: read.resolve,
  })
  await source.stop()
  await read.promise
  expect(onEvent).not.toHaveBeenCalled()
})
