// Builds a Program host in the folder that is given, for test-host.ts.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesOfRuntime } from '../runtime-files.ts'
import { bundleHost, makeHostCode } from './host-bundle.ts'

const [, , folder = ''] = process.argv

await bundleHost(folder)
for (const [path, bytes] of filesOfRuntime()) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), bytes)
}
makeHostCode(folder)
