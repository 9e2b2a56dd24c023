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

const SERVICES = [
  ...['--database-url', 'postgres://wes@127.0.0.1:1/wes'],
  ...['--restate-url', 'http://127.0.0.1:1', '--restate-admin-url', 'http://127.0.0.1:1'],
]

const FLAGS: readonly (readonly string[])[] = [
  ['--port', '9999'],
  ['--hooks-port', '9999'],
  ['--public-url', 'https://wes.example'],
  ['--hooks-url', 'https://hooks.example'],
  ['--allow-origin', 'https://app.example'],
  ['--trust-proxy'],
  ['--allow-egress', '10.0.0.0/8'],
  ['--unsafe-effects'],
  ['--worker-port', '9999'],
  ['--worker-url', 'http://worker:9080'],
  ['--restate-key', 'publickeyv1_x'],
  ['--host', '127.0.0.1'],
  ['--metrics-port', '9999'],
]

it.each<[role: string, used: readonly string[]]>([
  ['api', ['--port', '--hooks-port', '--public-url', '--hooks-url', '--allow-origin', '--trust-proxy']],
  ['ingress', ['--hooks-port', '--hooks-url']],
  [
    'worker',
    [
      ...['--public-url', '--hooks-url', '--allow-egress', '--unsafe-effects'],
      ...['--worker-port', '--worker-url', '--restate-key'],
    ],
  ],
])('says of each flag that --role %s does not use it', async (role, used) => {
  const { code, err } = await wesHere(['serve', '--role', role, ...SERVICES, ...FLAGS.flat()])
  expect([code, err]).toEqual([2, expect.stringContaining('WES_SECRET_KEY is missing')])
  const unused = [...err.matchAll(new RegExp(`^(--\\S+) does nothing with --role ${role}, only with --role `, 'gm'))]
  const uses = ['--host', '--metrics-port', ...used]
  expect(unused.map(([, flag]) => flag)).toEqual(
    FLAGS.flatMap(([flag]) => (flag === undefined || uses.includes(flag) ? [] : [flag])),
  )
})

it('says that an address for metrics needs a port', async () => {
  const { err } = await wesHere(['serve', '--metrics-host', '0.0.0.0', '--data-dir', ''])
  expect(err).toContain('--metrics-host does nothing without --metrics-port\n')
})
