// `npm run test:package [-- ARGUMENTS OF PLAYWRIGHT]`: all tests of the desktop app on the packaged one, where `npm test` runs a few.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli')
const { status } = spawnSync(process.execPath, [playwright, 'test', '--project=package', ...process.argv.slice(2)], {
  env: { ...process.env, WES_WHOLE_PACKAGE: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
