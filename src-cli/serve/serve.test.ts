import { expect, it } from 'vitest'
import { wesHere } from '../wes-here.test-support.ts'

it.each([
  ['--worker-port', '9080'],
  ['--worker-url', 'http://worker:9080'],
  ['--restate-key', 'publickeyv1_x'],
])('refuses %s without a Restate that somebody else runs', async (...flag) => {
  const { code, err } = await wesHere(['serve', ...flag, '--data-dir', ''])
  const what = `${flag[0]} needs --database-url, --restate-url and --restate-admin-url`
  expect([code, err]).toEqual([2, expect.stringContaining(what)])
})
