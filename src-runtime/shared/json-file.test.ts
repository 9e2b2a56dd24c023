import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { recordDiskCalls } from './disk-calls.test-support.ts'
import { writeJsonFile } from './json-file.ts'
import { temporaryFolder } from './temporary-folder.test-support.ts'

const WRITE = `
import { writeJsonFile } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'json-file.ts')).href)}
try {
  writeJsonFile(process.argv[1], 'x'.repeat(3_000))
} catch (error) {
  process.stdout.write(error.code)
}
`

// The system writes the part for which there is room, and says so; only the next write fails.
it.skipIf(process.platform === 'win32')('keeps the old file if there is room for a part of the new one only', () => {
  const folder = temporaryFolder('json')
  const file = join(folder, 'a.json')
  writeFileSync(file, '"old"')
  const limited = ['-c', 'ulimit -f 2; exec "$0" --input-type=module --eval "$1" "$2"', process.execPath, WRITE, file]
  const { stdout } = spawnSync('sh', limited, { encoding: 'utf8', timeout: 9_000 })
  expect(readFileSync(file, 'utf8')).toBe('"old"')
  expect(stdout).toBe('EFBIG')
})

it.skipIf(process.platform === 'win32')(
  'flushes the new file before it is named, and every name before it returns',
  () => {
    const folder = temporaryFolder('json')
    const calls = recordDiskCalls()
    writeJsonFile(join(folder, 'new', 'a.json'), 1)
    const made = ['name new', `flush ${basename(folder)}`]
    expect(calls).toEqual([...made, 'remove a.json.new', 'flush a.json.new', 'name a.json', 'flush new'])
  },
)
