import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { RefusedError } from '../refused-error.ts'
import { ARGUMENTS } from './arguments.ts'
import type { Channel } from './channels.ts'
import { createRespond, type Asker, type DesktopHandlers } from './respond.ts'

const ORIGIN = 'app://dashboard'
const PAGE: Asker = { senderFrame: { origin: ORIGIN, parent: null } }

const rig = (handlers: Partial<DesktopHandlers> = {}) => {
  const called = vi.fn()
  const all = Object.fromEntries(Object.keys(ARGUMENTS).map((name) => [name, called])) as unknown as DesktopHandlers
  const respond = createRespond({
    handlers: { ...all, ...handlers },
    origin: ORIGIN,
    log: pino({ level: 'silent' }),
  })
  return { respond, called }
}

describe('a request of the page', () => {
  it('is answered', async () => {
    const { respond } = rig({ 'choose-project': async () => '/p' })
    expect(await respond('choose-project', PAGE, [])).toEqual({ ok: '/p' })
  })

  it.each<[string, Asker]>([
    ['a frame that is gone', { senderFrame: null }],
    ['another page', { senderFrame: { origin: 'https://example.com', parent: null } }],
    ['a page without an origin', { senderFrame: { origin: 'null', parent: null } }],
    ['a frame within the page', { senderFrame: { origin: ORIGIN, parent: {} } }],
  ])('is refused from %s', async (_what, asker) => {
    const { respond, called } = rig()
    expect(await respond('start-runtime', asker, [])).toMatchObject({ error: { code: 'forbidden' } })
    expect(called).not.toHaveBeenCalled()
  })

  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  it.each<[Channel, readonly unknown[]]>([
    ['start-runtime', [1]],
    ['use-port', []],
    ['use-port', ['3477']],
    ['use-port', [0]],
    ['use-port', [3477, 3478]],
    ['open-project', ['']],
    ['open-project', ['a\0b']],
    ['open-project', [{ toString: 'x' }]],
    ['change-settings', [{ projectFolders: {} }]],
    ['change-settings', [{ notifyWhen: { failed: true } }]],
    ['reset-data', ['all']],
    ['open-in-editor', [{ path: 'a', line: 0, column: 1 }]],
    ['open-in-editor', [{ path: 'a', line: 1, column: 1, command: 'rm' }]],
    ['open-project', ['x'.repeat(70_000)]],
    ['change-settings', cyclic],
    ['use-port', [1n]],
    ['shown-connection', ['acme/../x']],
    ['shown-connection', []],
  ])('is refused with invalid arguments: %s', async (channel, args) => {
    const { respond, called } = rig()
    expect(await respond(channel, PAGE, args)).toMatchObject({ error: { code: 'invalid_request' } })
    expect(called).not.toHaveBeenCalled()
  })

  it('gets the reason of a refusal or failure', async () => {
    const { respond } = rig({
      'stop-runtime': () => Promise.reject(new RefusedError('not_owned', 'It is somebody else’s.')),
      'start-runtime': () => Promise.reject(new Error('no disk')),
    })
    expect(await respond('stop-runtime', PAGE, [])).toEqual({
      error: { code: 'not_owned', message: 'It is somebody else’s.' },
    })
    expect(await respond('start-runtime', PAGE, [])).toEqual({ error: { code: 'internal', message: 'no disk' } })
  })
})
