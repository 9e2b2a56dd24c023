import { chmodSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { wesHere } from '../wes-here.test-support.ts'

const NOBODY = 65_534

it.skipIf(process.platform === 'win32')('wes link says that it may not read the data directory', async () => {
  const dataDir = temporaryFolder('link')
  // Loads its modules while they can be read.
  expect(await wesHere(['link', '--data-dir', dataDir])).toMatchObject({ code: 1 })
  chmodSync(dataDir, 0)
  onTestFinished(() => chmodSync(dataDir, 0o700))
  if (process.getuid?.() === 0) {
    // Only root may read it all the same.
    process.seteuid?.(NOBODY)
    onTestFinished(() => process.seteuid?.(0))
  }
  expect(await wesHere(['link', '--data-dir', dataDir])).toEqual({
    code: 1,
    out: '',
    err: `wes: cannot read the data directory ${dataDir}: permission denied\nRun \`wes link\` as the user who started the runtime.\n`,
  })
})
