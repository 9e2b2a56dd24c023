// The part of `npm test` that checks the Rust client. Its script needs bash; without it, the checks are skipped like
// without `cargo`, and the output says so.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const { error, status } = spawnSync('bash', ['check.sh', ...process.argv.slice(2)], {
  cwd: join(import.meta.dirname, '../sdk-rust'),
  stdio: 'inherit',
})
if (error === undefined) process.exitCode = status ?? 1
else if (!('code' in error) || error.code !== 'ENOENT') throw error
else {
  console.error('SKIPPED: the checks of the Rust client need bash')
  process.exitCode = process.env['CI'] ? 1 : 0
}
