import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS, desktopSettings } from '../settings/settings.ts'
import { diagnosticsText } from './diagnostics.ts'

const VERSIONS = { version: '0.1.0', electron: '45.4.1', chromium: '156', node: '24.18.0' }

it('contains versions, settings, state and the log, without secrets and the user’s name', () => {
  const text = diagnosticsText({
    about: {
      ...VERSIONS,
      platform: 'linux x64',
      dataDirectory: '/home/ada/.local/share/wes',
      logsFolder: '/home/ada/.config/wes/logs',
      effectsRunOn: 'Node v24.1.0 (/home/ada/.nvm/node)',
    },
    settings: desktopSettings(DEFAULT_SETTINGS, false),
    state: { kind: 'crashed', message: 'no port', logLines: ['twice'], restartsAt: null },
    connections: [{ name: 'Acme', host: 'wes.acme.example:8443', token: 'keychain' }],
    logLines: ['12:00:00 error Authorization: Bearer abcdef1234567890'],
    home: '/home/ada',
  })
  for (const expected of [
    '0.1.0',
    'electron: 45.4.1',
    '~/.local/share/wes',
    '"port":3477',
    'no port',
    'connection "Acme": wes.acme.example:8443, its token: keychain',
    '12:00:00 error',
  ]) {
    expect(text).toContain(expected)
  }
  for (const secret of ['ada', 'abcdef1234567890', 'twice']) expect(text).not.toContain(secret)
})

it('leaves out the user’s name in paths of Windows too, however they are written', () => {
  const file = String.raw`C:\Users\ada\shop\order.ts`
  const text = diagnosticsText({
    about: {
      ...VERSIONS,
      platform: 'win32 x64',
      dataDirectory: String.raw`C:\Users\ada\AppData\Local\wes`,
      logsFolder: String.raw`C:\Users\ada\AppData\Roaming\logs`,
      effectsRunOn: 'Node v24.1.0',
    },
    settings: desktopSettings(DEFAULT_SETTINGS, false),
    state: { kind: 'crashed', message: `${file} is missing`, logLines: [], restartsAt: null },
    connections: [],
    logLines: [`log ${JSON.stringify({ file })}`, 'at file:///C:/Users/ada/shop/order.ts:1:1'],
    home: String.raw`C:\Users\ada`,
  })
  expect(text).not.toContain('ada')
  expect(text).toContain(String.raw`"~\\shop\\order.ts is missing"`)
})
