import { expect, it } from 'vitest'
import { startCommand } from './start-command.ts'

const started = {
  port: 3477,
  dataDir: undefined,
  project: '/home/ada/shop',
  asksForToken: false,
  watch: true,
  effects: true,
}

it('begins with the way in which the user runs wes', () => {
  const commands = [
    '/usr/local/bin/wes',
    '/home/ada/shop/node_modules/.bin/wes',
    '/home/ada/shop/node_modules/workflow/src-cli/wes.mjs',
    '/home/ada/repository/src-cli/wes.mjs',
    'C:\\repository\\src-cli\\wes.mjs',
  ].map((script) => startCommand({ ...started, script }).cli)
  expect(commands).toEqual(['wes', 'npx wes', 'npx wes', 'npm run -s wes --', 'npm run -s wes --'])
})

it('contains the port and the folders', () => {
  const { start } = startCommand({ ...started, script: '/bin/wes', dataDir: "/tmp/it's data" })
  expect(start).toBe(`wes dev --port 3477 --data-dir '/tmp/it'\\''s data' --project /home/ada/shop`)
})

it('contains what was switched off or on', () => {
  const flags = { asksForToken: true, watch: false, effects: false }
  const { start } = startCommand({ ...started, ...flags, script: '/bin/wes' })
  expect(start).toBe('wes dev --port 3477 --project /home/ada/shop --token --no-watch --no-effects')
})
