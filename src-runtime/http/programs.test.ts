import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifact, createHttpRig, type HttpRig } from './http-rig.test-support.ts'

/** Nothing that could be seen, or told from another line. */
const BLANK = [' ', '\t', '\u200b\u2060', '\u3000', 'two\nlines', 'bell\u0007', 'nul\u0000', 'line\u2028'].map(
  (name) => ({ name }),
)

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
})
afterAll(() => rig.close())

const deploy = (body: unknown, headers: Record<string, string> = {}) =>
  rig.call('POST', '/v1/programs/deploy', { json: body, headers })

describe('deploying a Program', () => {
  it('stores versions 1, 2, 3 …, but none for the content of the latest', async () => {
    const a = artifact('counted', { description: 'first' })
    const b = artifact('counted', { description: 'second' })
    const first = await deploy(a)
    expect([first.status, first.json.latestVersion.number, first.json.description]).toEqual([201, 1, 'first'])
    const again = await deploy({ ...a, sdk: '9.9.9' })
    expect([again.status, again.json.latestVersion.id]).toEqual([200, first.json.latestVersion.id])
    expect((await deploy(b)).json.latestVersion.number).toBe(2)
    const third = await deploy(a)
    expect([third.status, third.json.latestVersion.number]).toEqual([201, 3])
    expect(third.json.latestVersion.digest).toBe(first.json.latestVersion.digest)
    expect(third.json.createdAt).toBe(first.json.createdAt)
    const versions = await rig.call('GET', '/v1/programs/counted/versions')
    expect(versions.json.items.map((version: { number: number }) => version.number)).toEqual([3, 2, 1])
    expect(versions.json.nextCursor).toBeNull()
  })

  it('returns the digest of the canonical artifact without sdk', async () => {
    const body = '{"program":{"code":"({run(){}})"},"sdk":"1","id":"digested","format":"wes.program/1"}'
    const { json } = await rig.call('POST', '/v1/programs/deploy', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    // sha256 of {"format":"wes.program/1","id":"digested","program":{"code":"({run(){}})"}}
    expect(json.latestVersion.digest).toBe('ae3ae2f9e7521aed24050c9414a7bbeb063287d4a05d16ac16ce724a8b79b26a')
  })

  it('keeps unknown members of a manifest, and returns the version', async () => {
    const manifest = {
      inputSchema: { type: 'object', 'x-unknown': [1] },
      events: [{ name: 'go', colour: 'red' }],
      more: { __proto__: null, deep: [{ constructor: 1 }] },
    }
    const { json } = await deploy(artifact('kept', { manifest }))
    expect(json).toMatchObject({ id: 'kept', projectId: 'default', runnable: true })
    expect(json.latestVersion).toMatchObject({
      programId: 'kept',
      origin: 'upload',
      hasEffects: false,
      runnable: true,
      manifest,
    })
    expect((await deploy(artifact('bare'))).json.latestVersion.manifest).toEqual({})
  })

  it('stores one with effects, which is not runnable here', async () => {
    const { status, json } = await deploy(artifact('effectful', { effects: { code: 'x', sourceMap: '{}' } }))
    expect([status, json.runnable, json.latestVersion.runnable, json.latestVersion.hasEffects]).toEqual([
      201,
      false,
      false,
      true,
    ])
    const start = await rig.call('POST', '/v1/executions', { json: { programId: 'effectful' } })
    expect([start.status, start.json.error.code]).toEqual([422, 'program_not_runnable'])
    const pinned = await rig.call('POST', '/v1/executions', { json: { programId: 'effectful', version: 1 } })
    expect([pinned.status, pinned.json.error.code]).toEqual([422, 'program_not_runnable'])
  })

  it('starts use the newest runnable version if a newer one has effects', async () => {
    await deploy(artifact('mixed'))
    const { json } = await deploy(artifact('mixed', { effects: { code: 'x' } }))
    expect([json.latestVersion.number, json.latestVersion.runnable, json.runnable]).toEqual([2, false, true])
    const start = await rig.call('POST', '/v1/executions', { json: { programId: 'mixed' } })
    expect([start.status, start.json.versionNumber]).toEqual([201, 1])
  })

  const whole = artifact('shape')
  it.each([
    ['no format', { ...whole, format: undefined }],
    ['another format', { ...whole, format: 'wes.program/2' }],
    ['no id', { ...whole, id: undefined }],
    ['an id with a slash', { ...whole, id: 'a/b' }],
    ['an id that begins with a dot', { ...whole, id: '.a' }],
    ['an id of 129 characters', { ...whole, id: 'a'.repeat(129) }],
    ['no program', { ...whole, program: undefined }],
    ['a program of text', { ...whole, program: '({run(){}})' }],
    ['no code', { ...whole, program: {} }],
    ['code that is no text', { ...whole, program: { code: 1 } }],
    ['a source map that is no text', { ...whole, program: { code: 'run', sourceMap: {} } }],
    ['a description that is no text', { ...whole, description: 1 }],
    ['a manifest that is a list', { ...whole, manifest: [] }],
    ['events that are no list', { ...whole, manifest: { events: {} } }],
    ['an event without a name', { ...whole, manifest: { events: [{}] } }],
    ['a schema that is text', { ...whole, manifest: { inputSchema: 'object' } }],
    ['effects without code', { ...whole, effects: {} }],
    ['null effects', { ...whole, effects: null }],
    ['half a surrogate pair in its code', { ...whole, program: { code: 'run \ud800' } }],
  ])('with %s is 400', async (_what, body) => {
    const answer = await deploy(body)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
  })

  it.each([
    ['code that the sandbox refuses', { program: { code: '1 + 1' } }, 'program has no `run`'],
    ['a pattern that is none', { manifest: { inputSchema: { pattern: '(' } } }, 'manifest/inputSchema/pattern'],
    ['an unknown type', { manifest: { inputSchema: { type: 'text' } } }, 'manifest/inputSchema/type'],
    [
      'a reference that leads nowhere',
      { manifest: { inputSchema: { $ref: '#/$defs/none' } } },
      'manifest/inputSchema/$ref',
    ],
    [
      'a reference to elsewhere',
      { manifest: { inputSchema: { $ref: 'https://example.com/s' } } },
      'manifest/inputSchema/$ref',
    ],
    ['a schema that refers to itself for ever', { manifest: { inputSchema: { $ref: '#' } } }, 'manifest/inputSchema'],
    [
      "an event's schema that is none",
      { manifest: { events: [{ name: 'a', payloadSchema: { properties: { x: 1 } } }] } },
      'manifest/events/0/payloadSchema/properties/x',
    ],
    ['a manifest that is too large', { manifest: { notes: 'x'.repeat(300_000) } }, 'manifest'],
  ])('with %s is 422 with the reason', async (_what, rest, message) => {
    const answer = await deploy(artifact('refused', rest))
    expect([answer.status, answer.json.error.code]).toEqual([422, 'invalid_artifact'])
    expect(answer.json.error.message).toContain(message)
    expect((await rig.call('GET', '/v1/programs/refused')).status).toBe(404)
  })
})

describe('reading Programs', () => {
  it('lists them by id, page by page, while more are added', async () => {
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'pages' } })
    const headers = { 'x-service-project-id': project.id as string }
    for (const id of ['d', 'b', 'a', 'c']) await deploy(artifact(id), headers)
    const page = async (query: string) => {
      const { json } = await rig.call('GET', `/v1/programs?${query}`, { headers })
      return [json.items.map((program: { id: string }) => program.id).join(), json.nextCursor] as [
        string,
        string | null,
      ]
    }
    const [first, cursor] = await page('limit=2')
    expect(first).toBe('a,b')
    await deploy(artifact('aa'), headers)
    await deploy(artifact('cc'), headers)
    const [second, next] = await page(`limit=2&cursor=${cursor}`)
    expect(second).toBe('c,cc')
    expect(await page(`limit=2&cursor=${next}`)).toEqual(['d', null])
    expect(await page('limit=6')).toEqual(['a,aa,b,c,cc,d', null])
  })

  it('returns the artifact of any version, byte for byte', async () => {
    const program = { code: '({ run: async () => "ü\\u2028" })', sourceMap: '{"version":3,"sources":[],"mappings":""}' }
    const manifest = { events: [{ name: 'go' }], note: 'kept' }
    const effects = { code: 'exports.x = 1' }
    const first = { format: 'wes.program/1', id: 'given-back', program, manifest, effects }
    await deploy({ ...first, sdk: '9', description: 'd' })
    await deploy({ format: 'wes.program/1', id: 'given-back', program })
    expect((await rig.call('GET', '/v1/programs/given-back/versions/1/artifact')).json).toEqual(first)
    expect((await rig.call('GET', '/v1/programs/given-back/versions/2/artifact')).json).toEqual({
      format: 'wes.program/1',
      id: 'given-back',
      program,
      manifest: {},
    })
    for (const number of ['3', '0', '-1', '1e0', 'x', '99999999999999999999']) {
      const missing = await rig.call('GET', `/v1/programs/given-back/versions/${number}/artifact`)
      expect([missing.status, missing.json.error.code]).toEqual([404, 'version_not_found'])
    }
    expect((await rig.call('GET', '/v1/programs/none/versions/1/artifact')).json.error.code).toBe('program_not_found')
  })

  it('lists versions page by page, newest first', async () => {
    for (let number = 1; number <= 5; number += 1) await deploy(artifact('many', { description: String(number) }))
    const first = await rig.call('GET', '/v1/programs/many/versions?limit=2')
    const second = await rig.call('GET', `/v1/programs/many/versions?limit=2&cursor=${first.json.nextCursor}`)
    const third = await rig.call('GET', `/v1/programs/many/versions?limit=2&cursor=${second.json.nextCursor}`)
    const numbers = [first, second, third].map(({ json }) =>
      json.items.map((version: { number: number }) => version.number),
    )
    expect([numbers, third.json.nextCursor]).toEqual([[[5, 4], [3, 2], [1]], null])
  })

  it.each(['nobody', 'a%2Fb', '%20', 'a'.repeat(200), '..%2f..', 'constructor', '__proto__'])(
    '%s is 404',
    async (id) => {
      for (const path of [`/v1/programs/${id}`, `/v1/programs/${id}/versions`]) {
        const answer = await rig.call('GET', path)
        expect([answer.status, answer.json.error.code]).toEqual([404, 'program_not_found'])
      }
    },
  )

  it('finds one with the same name as the deploy route', async () => {
    await deploy(artifact('deploy'))
    expect((await rig.call('GET', '/v1/programs/deploy')).json.id).toBe('deploy')
  })
})

describe('projects', () => {
  it('are listed oldest first, after the default project', async () => {
    const made = await rig.call('POST', '/v1/projects', { json: { name: 'Zwei' } })
    expect([made.status, made.json.name, made.json.isDefault]).toEqual([201, 'Zwei', false])
    expect(made.json.id).toMatch(/^prj_[0-9a-z]{26}$/)
    const { json } = await rig.call('GET', '/v1/projects?limit=1')
    expect(json.items[0]).toMatchObject({ id: 'default', isDefault: true })
    expect(json.items.at(-1)).toEqual(made.json)
    expect(json.nextCursor).toBeNull()
  })

  it('have unique names', async () => {
    await rig.call('POST', '/v1/projects', { json: { name: 'taken' } })
    const answer = await rig.call('POST', '/v1/projects', { json: { name: 'taken' } })
    expect([answer.status, answer.json.error.code]).toEqual([409, 'project_exists'])
  })

  it.each([{}, { name: '' }, { name: 'x'.repeat(81) }, { name: 1 }, { name: null }, { name: 'a\ud800' }, ...BLANK])(
    '%j is none',
    async (body) => {
      const answer = await rig.call('POST', '/v1/projects', { json: body })
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    },
  )

  it('may have names of 80 characters of any size', async () => {
    expect((await rig.call('POST', '/v1/projects', { json: { name: '😀'.repeat(80) } })).status).toBe(201)
    expect((await rig.call('POST', '/v1/projects', { json: { name: '😀'.repeat(81) } })).status).toBe(400)
  })

  it('separate Programs and Executions', async () => {
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'apart' } })
    const there = { 'x-service-project-id': project.id as string }
    await deploy(artifact('private'), there)
    expect((await rig.call('GET', '/v1/programs/private')).json.error.code).toBe('program_not_found')
    const start = await rig.call('POST', '/v1/executions', { json: { programId: 'private' }, headers: there })
    const path = `/v1/executions/${start.json.id}`
    expect([start.status, start.json.projectId]).toEqual([201, project.id])
    expect((await rig.call('GET', path)).status).toBe(200)
    expect((await rig.call('GET', path, { headers: there })).status).toBe(200)
    const elsewhere = { 'x-service-project-id': 'default' }
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/result`],
      ['GET', `${path}/history`],
      ['POST', `${path}/cancel`],
    ] as const) {
      const answer = await rig.call(method, at, { headers: elsewhere })
      expect([at, answer.status, answer.json.error.code]).toEqual([at, 404, 'execution_not_found'])
    }
    const ids = async (headers: Record<string, string>) =>
      (await rig.call('GET', '/v1/executions', { headers })).json.items.map((item: { id: string }) => item.id)
    expect(await ids(there)).toEqual([start.json.id])
    expect(await ids({})).not.toContain(start.json.id)
  })

  it.each([
    ['GET', '/v1/programs'],
    ['GET', '/v1/programs/x'],
    ['GET', '/v1/programs/x/versions'],
    ['POST', '/v1/programs/deploy'],
    ['GET', '/v1/executions'],
    ['POST', '/v1/executions'],
    ['GET', '/v1/executions/x'],
    ['GET', '/v1/executions/x/result'],
    ['GET', '/v1/executions/x/history'],
    ['POST', '/v1/executions/x/cancel'],
    ['POST', '/v1/executions/x/events'],
    ['GET', '/v1/changes'],
  ])('must exist for %s %s', async (method, path) => {
    const bodies: Readonly<Record<string, unknown>> = {
      '/v1/programs/deploy': artifact('x'),
      '/v1/executions': { programId: 'x' },
      '/v1/executions/x/events': { name: 'x' },
    }
    for (const id of ['prj_unknown', 'Default', 'default, default', '']) {
      const answer = await rig.call(method, path, {
        headers: { 'x-service-project-id': id },
        ...(method === 'POST' && path in bodies && { json: bodies[path] }),
      })
      expect([answer.status, answer.json.error.code]).toEqual([404, 'project_not_found'])
    }
  })
})

describe('deleting a version', () => {
  const remove = (id: string, number: number | string) => rig.call('DELETE', `/v1/programs/${id}/versions/${number}`)

  it('answers 204, and the version no longer exists', async () => {
    for (const description of ['one', 'two']) await rig.deploy('shrinks', { description })
    expect((await remove('shrinks', 1)).status).toBe(204)
    const { json } = await rig.call('GET', '/v1/programs/shrinks/versions')
    expect(json.items.map(({ number }: { number: number }) => number)).toEqual([2])
    for (const number of [1, 0, 3, 'x', '1e0', '9'.repeat(30)]) {
      const answer = await remove('shrinks', number)
      expect([answer.status, answer.json.error.code]).toEqual([404, 'version_not_found'])
    }
    expect((await remove('nobody', 1)).json.error.code).toBe('program_not_found')
  })

  it('is 409 for the newest version, and while there are Executions, including ended ones', async () => {
    await rig.deploy('stays', { description: 'one' })
    const id = await rig.start('stays', { do: 'return' })
    await rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=10' } })
    await rig.deploy('stays', { description: 'two' })
    for (const number of [1, 2]) {
      const answer = await remove('stays', number)
      expect([answer.status, answer.json.error.code]).toEqual([409, 'version_in_use'])
    }
    await rig.call('DELETE', `/v1/executions/${id}`)
    expect((await remove('stays', 1)).status).toBe(204)
  })
})
