// What people read about updates.

import { describe, expect, it } from 'vitest'
import { describeUpdate } from './describe-update.ts'
import { plainNotes } from './release-notes.ts'
import { activityOf, restartQuestion } from './restart-question.ts'
import { NOTHING_ARRIVED, problemOf, TOO_SLOW, type UpdatePhase } from './update-problems.ts'

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code })

describe('the reason for a failure', () => {
  it.each<readonly [string, UpdatePhase, unknown]>([
    ['Are you connected to the internet?', 'check', new Error('net::ERR_INTERNET_DISCONNECTED')],
    [
      'Are you connected to the internet?',
      'check',
      coded('ERR_UPDATER_INVALID_RELEASE_FEED', 'Cannot parse releases feed: Error: net::ERR_NAME_NOT_RESOLVED'),
    ],
    ['does not answer', 'check', new Error('net::ERR_CONNECTION_REFUSED')],
    ['within a minute', 'check', new Error(TOO_SLOW)],
    ['nothing arrived for a minute', 'download', new Error(NOTHING_ARRIVED)],
    ['was interrupted', 'download', new Error('net::ERR_CONTENT_LENGTH_MISMATCH')],
    ['was interrupted', 'download', coded('ECONNRESET', 'aborted')],
    ['set the environment variable HTTPS_PROXY', 'check', new Error('net::ERR_TUNNEL_CONNECTION_FAILED')],
    ['set the environment variable HTTPS_PROXY', 'download', new Error('net::ERR_PROXY_CONNECTION_FAILED')],
    ['The proxy of the system’s settings', 'check', new Error('net::ERR_SOCKS_CONNECTION_FAILED')],
    ['certificate is not valid', 'check', new Error('net::ERR_CERT_DATE_INVALID')],
    ['without encryption', 'check', new Error('net::ERR_BLOCKED_BY_CLIENT')],
    ['No release was found', 'check', coded('ERR_UPDATER_CHANNEL_FILE_NOT_FOUND', 'HttpError: 404')],
    ['No release was found', 'check', coded('ERR_XML_MISSED_ELEMENT', 'No published versions on GitHub')],
    ['lacks the file', 'download', new Error('Cannot download "https://x/y", status 404: Not Found')],
    ['refuses requests for now', 'check', coded('HTTP_ERROR_403', '403 Forbidden')],
    ['an internal error', 'check', coded('HTTP_ERROR_503', '503 Service Unavailable')],
    ['cannot be read', 'check', coded('ERR_UPDATER_INVALID_UPDATE_INFO')],
    ['cannot be read', 'check', new TypeError("Cannot create property 'releaseName' on string 'x'")],
    ['its checksum differs', 'download', coded('ERR_CHECKSUM_MISMATCH', 'sha512 checksum mismatch')],
    ['not signed by the publisher', 'download', coded('ERR_UPDATER_INVALID_SIGNATURE')],
    ['not signed by the publisher', 'install', new Error('Could not get code signature for running application')],
    ['The disk is full', 'download', coded('ENOSPC', 'write ENOSPC')],
    ['may not write to its folder', 'install', coded('EACCES', 'EACCES: permission denied, unlink')],
    ['no file for this system', 'check', new Error('version 0.2.0 has no file for this system')],
    ['The installation failed: odd', 'install', new Error('odd\n  at x')],
  ])('is a sentence: %s', (sentence, during, error) => {
    expect(problemOf(error, during)).toContain(sentence)
  })
})

describe('release notes', () => {
  it('are text, also if the feed has HTML', () => {
    const html = `<h2>What’s new</h2>\n<ul>\n<li>Faster &amp; <b>safer</b></li>\n<li><a href="https://x">Links</a> &lt;b&gt;</li>\n</ul><p>Thanks!<br>&#8212; us</p>`
    expect(plainNotes(html)).toBe('What’s new\n\n• Faster & safer\n• Links <b>\nThanks!\n— us')
  })

  it('hold no scripts, and nothing that turns the text round', () => {
    expect(plainNotes('<p>a<script>alert(1)</script><img src=x onerror=alert(1)>b\u202e</p>')).toBe('ab')
  })

  it('stay as they are if they are Markdown, and are cut if they are long', () => {
    expect(plainNotes('## New\r\n\n\n\n- a < b')).toBe('## New\n\n- a < b')
    expect(plainNotes('x'.repeat(9_000))).toHaveLength(5_002)
    expect(plainNotes(`x${'😀'.repeat(9_000)}`)).toBe(`x${'😀'.repeat(2_499)} …`)
  })

  it.each(['<script ', '<p ', '<', ' ', '\n ', '</script '])('cannot stop the app: %j again and again', (part) => {
    expect(plainNotes(`<p>New<script>${part.repeat(200_000)}x`)).toContain('New')
  })

  it('may be missing', () => {
    for (const notes of [undefined, null, '', ' \n', '<p></p>', 5, []]) expect(plainNotes(notes)).toBeNull()
  })
})

describe('a release', () => {
  const info = {
    version: '0.2.0',
    files: [
      { url: 'wes-arm64.AppImage', sha512: 'x', size: 2 },
      { url: 'wes-x64.AppImage', sha512: 'x', size: 3 },
      { url: 'wes.deb', size: 4 },
    ],
    releaseDate: '2026-11-20T10:00:00.000Z',
  }

  it('has the size of the file for this system', () => {
    expect(describeUpdate(info, 'linux', 'x64')).toEqual({
      version: '0.2.0',
      bytes: 3,
      releasedAt: '2026-11-20T10:00:00.000Z',
      notes: null,
    })
    expect(describeUpdate({ ...info, releaseDate: new Date(0) }, 'linux', 'arm64')).toMatchObject({
      bytes: 2,
      releasedAt: '1970-01-01T00:00:00.000Z',
    })
  })

  it('is refused if it has none', () => {
    for (const files of [[], [null, 5, {}], info.files.slice(2)]) {
      expect(() => describeUpdate({ ...info, files }, 'linux', 'x64')).toThrow('no file for this system')
    }
    expect(() => describeUpdate(info, 'darwin', 'arm64')).toThrow('no file for this system')
  })

  it('may say nothing but its file', () => {
    expect(describeUpdate({ version: '0.2.0', path: 'Setup.exe', releaseDate: 'soon' }, 'win32', 'x64')).toEqual({
      version: '0.2.0',
      bytes: null,
      releasedAt: null,
      notes: null,
    })
  })
})

describe('the question before a restart', () => {
  const NONE = { queued: 0, running: 0, waiting: 0, cancelling: 0, completed: 9, failed: 9, cancelled: 9 }
  const group = (kind: 'effect' | 'timer', count: number) => ({
    kind,
    name: '',
    programId: 'p',
    count,
    oldestSince: '',
    exampleExecutionId: '',
  })
  type Project = { readonly counts: Partial<typeof NONE>; readonly groups: readonly ReturnType<typeof group>[] }
  /** Of a service that lists its groups one by one. */
  const askedOf = (projects: Readonly<Record<string, Project>>) =>
    activityOf((projectId = 'default') => ({
      listProjects: async () => ({
        items: Object.keys(projects).map((id) => ({ id, name: id, isDefault: id === 'default', createdAt: '' })),
        nextCursor: null,
      }),
      countExecutions: async () => ({ counts: { ...NONE, ...projects[projectId]?.counts }, needsAttention: 0 }),
      listWaiting: async ({ cursor } = {}) => {
        const { groups = [] } = projects[projectId] ?? {}
        const next = Number(cursor ?? 0) + 1
        return { items: groups.slice(next - 1, next), nextCursor: next < groups.length ? String(next) : null }
      },
    }))
  const asked = (counts: Partial<typeof NONE>, ...groups: readonly ReturnType<typeof group>[]) =>
    askedOf({ default: { counts, groups } })
  const question = async (...given: Parameters<typeof asked>) =>
    restartQuestion({ version: '0.2.0', bytes: null, releasedAt: null, notes: null }, await asked(...given), 4_000)

  it('is not needed if all Executions have ended', async () => {
    expect(await asked({})).toEqual({ kind: 'idle' })
  })

  it('says how many Executions run, wait, and are in effects, and what happens with them', async () => {
    const { message, detail } = await question(
      { running: 2, queued: 1, waiting: 12 },
      group('effect', 2),
      group('timer', 10),
    )
    expect(message).toBe('Restart now to install version 0.2.0?')
    expect(detail).toBe(
      [
        '3 Executions are running, and 12 waiting.',
        'They are stored, and go on after the restart. 2 of them wait for effects. Effects that run have 4 seconds to finish; those that do not finish run again.',
        'Clients cannot reach the runtime for some seconds.',
      ].join('\n\n'),
    )
  })

  it('counts the Executions of all projects, and each once', async () => {
    const other = { counts: { running: 1, waiting: 2 }, groups: [group('timer', 1), group('effect', 1)] }
    expect(await askedOf({ default: { counts: {}, groups: [] }, prj_other: other })).toEqual({
      kind: 'active',
      running: 1,
      waiting: 2,
      inEffects: 1,
    })
    const inParallel = { counts: { waiting: 1 }, groups: [group('effect', 1), group('effect', 1)] }
    expect(await askedOf({ default: inParallel })).toMatchObject({ waiting: 1, inEffects: 1 })
  })

  it('is short if little runs', async () => {
    expect((await question({ waiting: 1 })).detail).toContain('1 Execution is waiting.\n\nThey are stored')
    expect((await question({ running: 1 }, group('effect', 1))).detail).toContain('1 of them waits for an effect. ')
    const unknown = restartQuestion(
      { version: '0.2.0', bytes: null, releasedAt: null, notes: null },
      { kind: 'unknown' },
      4_000,
    )
    expect(unknown.detail).toContain('did not say whether Executions are running')
  })
})
