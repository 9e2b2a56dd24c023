// Contract sections 2, 4, 9 and 10: Programs and their versions.

import { beforeEach, describe, expect, it } from 'vitest'
import { artifact } from './artifacts.test-support.ts'
import type { Part } from './part.test-support.ts'
import { expectRefused, type Talk } from './talk.test-support.ts'

type Numbered = { readonly number: number }
const numbersOf = ({ items }: { items: Numbered[] }) => items.map(({ number }) => number)

export const programs: Part = (bench) => {
  let talk: Talk & { readonly projectId: string }
  beforeEach(async () => {
    talk = await bench.talk.inProject()
  })
  const deploy = (json: unknown) => talk.call('POST', '/v1/programs/deploy', { json })

  describe('deploying a Program', () => {
    it('stores versions 1, 2, 3 …, but none for the content of the latest', async () => {
      const a = artifact('counted', { description: 'first' })
      const first = await deploy(a)
      expect([first.status, first.json.latestVersion.number, first.json.description]).toEqual([201, 1, 'first'])
      const again = await deploy({ ...a, sdk: '9.9.9' })
      expect([again.status, again.json.latestVersion.id]).toEqual([200, first.json.latestVersion.id])
      expect((await talk.deploy('counted', { description: 'second' })).json.latestVersion.number).toBe(2)
      const third = await deploy(a)
      expect([third.status, third.json.latestVersion.number]).toEqual([201, 3])
      expect(third.json.latestVersion.digest).toBe(first.json.latestVersion.digest)
      expect(third.json.createdAt).toBe(first.json.createdAt)
      const versions = await talk.get('/v1/programs/counted/versions')
      expect([numbersOf(versions), versions.nextCursor]).toEqual([[3, 2, 1], null])
    })

    it('many times at once gives each version its own number', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => talk.deploy('raced', { description: String(index) })),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
      expect(numbersOf(await talk.get('/v1/programs/raced/versions'))).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    })

    it('returns the digest of the canonical artifact without sdk', async () => {
      const body = '{"program":{"code":"({run(){}})"},"sdk":"1","id":"digested","format":"wes.program/1"}'
      const headers = { 'content-type': 'application/json' }
      const { json } = await talk.call('POST', '/v1/programs/deploy', { body, headers })
      // sha256 of {"format":"wes.program/1","id":"digested","program":{"code":"({run(){}})"}}
      expect(json.latestVersion.digest).toBe('ae3ae2f9e7521aed24050c9414a7bbeb063287d4a05d16ac16ce724a8b79b26a')
    })

    it('keeps unknown members of a manifest, and returns the version', async () => {
      const manifest = {
        inputSchema: { type: 'object', 'x-unknown': [1] },
        events: [{ name: 'go', colour: 'red' }],
        more: { __proto__: null, deep: [{ constructor: 1 }] },
      }
      const { json } = await talk.deploy('kept', { manifest })
      expect(json).toMatchObject({ id: 'kept', projectId: talk.projectId, runnable: true })
      expect(json.latestVersion).toMatchObject({
        id: expect.stringMatching(/^ver_[0-9a-z]{26}$/) as string,
        programId: 'kept',
        origin: 'upload',
        hasEffects: false,
        runnable: true,
        manifest,
      })
      expect((await talk.deploy('bare')).json.latestVersion.manifest).toEqual({})
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
      ['half a surrogate pair in the name of an event', { ...whole, manifest: { events: [{ name: 'a\ud800' }] } }],
      ['half a surrogate pair in the name of an effect', { ...whole, manifest: { effects: [{ name: '\udc00a' }] } }],
      [
        'too many attempts for an effect',
        { ...whole, manifest: { effects: [{ name: 'a', retry: { maxAttempts: 1_000_001 } }] } },
      ],
      [
        'an interval of more than a year',
        { ...whole, manifest: { effects: [{ name: 'a', retry: { maxInterval: '366 days' } }] } },
      ],
    ])('with %s is 400', async (_what, body) => {
      expectRefused(await deploy(body), 400, 'invalid_request')
    })

    it.each([
      ['code that evaluates to something else', { program: { code: '1 + 1' } }, 'run'],
      ['code that does not parse', { program: { code: '({ run( ' } }, ''],
      ['code that throws', { program: { code: 'throw new Error("no")' } }, 'no'],
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
      [
        'a description that is too long',
        { description: 'x'.repeat(16_385) },
        'description is longer than 16384 characters',
      ],
    ])('with %s is 422 with the reason', async (_what, rest, message) => {
      const answer = await talk.deploy('refused', rest)
      expectRefused(answer, 422, 'invalid_artifact')
      expect(answer.json.error.message).toContain(message)
      expectRefused(await talk.call('GET', '/v1/programs/refused'), 404, 'program_not_found')
    })
  })

  it.runIf(bench.features.runsUploadedEffects)('with effects that do not parse is 422 with the place', async () => {
    const effects = { code: 'export const pay = async () => {\n  await;\n}' }
    const answer = await talk.deploy('refused', { effects })
    expectRefused(answer, 422, 'invalid_artifact')
    expect(answer.json.error.message).toMatch(/SyntaxError: .*\n {4}at effects\.js:2:8$/)
    expectRefused(await talk.call('GET', '/v1/programs/refused'), 404, 'program_not_found')
  })

  describe.skipIf(bench.features.runsUploadedEffects)('an artifact with effects', () => {
    it('is stored and shown, but never run', async () => {
      const effects = { code: 'throw new Error("must not run")', sourceMap: '{}' }
      const { status, json } = await talk.deploy('with-effects', { effects })
      expect({ status, json }).toMatchObject({
        status: 201,
        json: { runnable: false, latestVersion: { number: 1, hasEffects: true, runnable: false } },
      })
      for (const version of [undefined, 1]) {
        const started = await talk.call('POST', '/v1/executions', { json: { programId: 'with-effects', version } })
        expectRefused(started, 422, 'program_not_runnable')
      }
    })

    it('does not replace the newest runnable version for starts', async () => {
      await talk.deploy('mixed')
      const { json } = await talk.deploy('mixed', { effects: { code: 'x' } })
      expect([json.latestVersion.number, json.latestVersion.runnable, json.runnable]).toEqual([2, false, true])
      const start = await talk.call('POST', '/v1/executions', { json: { programId: 'mixed' } })
      expect([start.status, start.json.versionNumber]).toEqual([201, 1])
    })
  })

  describe('reading Programs', () => {
    it('lists them by id, page by page, while more are added', async () => {
      const apart = await bench.talk.inProject()
      for (const id of ['d', 'b', 'a', 'c']) await apart.deploy(id)
      const page = async (query: string) => {
        const { items, nextCursor } = await apart.get(`/v1/programs?${query}`)
        return [items.map((program: { id: string }) => program.id).join(), nextCursor] as [string, string | null]
      }
      const [first, cursor] = await page('limit=2')
      expect(first).toBe('a,b')
      await apart.deploy('aa')
      await apart.deploy('cc')
      const [second, next] = await page(`limit=2&cursor=${cursor}`)
      expect(second).toBe('c,cc')
      expect(await page(`limit=2&cursor=${next}`)).toEqual(['d', null])
      await apart.deploy('B')
      expect(await page('limit=7')).toEqual(['B,a,aa,b,c,cc,d', null])
    })

    it('returns the artifact of any version, byte for byte', async () => {
      const code = '({ run: async () => "ü\\u2028" })'
      const program = { code, sourceMap: '{"version":3,"sources":[],"mappings":""}' }
      const manifest = { events: [{ name: 'go' }], note: 'kept' }
      const first = { format: 'wes.program/1', id: 'given-back', program, manifest, effects: { code: 'exports.x = 1' } }
      await deploy({ ...first, sdk: '9', description: 'd' })
      await deploy({ format: 'wes.program/1', id: 'given-back', program })
      expect(await talk.get('/v1/programs/given-back/versions/1/artifact')).toEqual(first)
      expect(await talk.get('/v1/programs/given-back/versions/2/artifact')).toEqual({
        format: 'wes.program/1',
        id: 'given-back',
        program,
        manifest: {},
      })
      for (const number of ['3', '0', '-1', '1e0', 'x', '99999999999999999999']) {
        const missing = await talk.call('GET', `/v1/programs/given-back/versions/${number}/artifact`)
        expectRefused(missing, 404, 'version_not_found')
      }
      expectRefused(await talk.call('GET', '/v1/programs/none/versions/1/artifact'), 404, 'program_not_found')
    })

    it('lists versions page by page, newest first', async () => {
      for (let number = 1; number <= 5; number += 1) await talk.deploy('many', { description: String(number) })
      const first = await talk.get('/v1/programs/many/versions?limit=2')
      const second = await talk.get(`/v1/programs/many/versions?limit=2&cursor=${first.nextCursor}`)
      const third = await talk.get(`/v1/programs/many/versions?limit=2&cursor=${second.nextCursor}`)
      expect([[first, second, third].map(numbersOf), third.nextCursor]).toEqual([[[5, 4], [3, 2], [1]], null])
    })

    it.each(['nobody', 'a%2Fb', '%20', 'a'.repeat(200), '..%2f..', 'constructor', '__proto__', '%00'])(
      '%s is 404',
      async (id) => {
        for (const path of [`/v1/programs/${id}`, `/v1/programs/${id}/versions`]) {
          expectRefused(await talk.call('GET', path), 404, 'program_not_found')
        }
      },
    )

    it('finds one with the same name as the deploy route', async () => {
      await talk.deploy('deploy')
      expect((await talk.get('/v1/programs/deploy')).id).toBe('deploy')
    })
  })

  describe('deleting a version', () => {
    const remove = (id: string, number: number | string) => talk.call('DELETE', `/v1/programs/${id}/versions/${number}`)

    it('answers 204, and the version no longer exists', async () => {
      for (const description of ['one', 'two']) await talk.deploy('shrinks', { description })
      expect((await remove('shrinks', 1)).status).toBe(204)
      expect(numbersOf(await talk.get('/v1/programs/shrinks/versions'))).toEqual([2])
      for (const number of [1, 0, 3, 'x', '1e0', '9'.repeat(30)]) {
        expectRefused(await remove('shrinks', number), 404, 'version_not_found')
      }
      expectRefused(await remove('nobody', 1), 404, 'program_not_found')
      expect((await talk.deploy('shrinks', { description: 'three' })).json.latestVersion.number).toBe(3)
    })

    it('is 409 for the newest version, and while there are Executions, including ended ones', async () => {
      await talk.deploy('stays', { description: 'one' })
      const id = await talk.start('stays', { do: 'return' })
      await talk.result(id)
      await talk.deploy('stays', { description: 'two' })
      for (const number of [1, 2]) expectRefused(await remove('stays', number), 409, 'version_in_use')
      await talk.call('DELETE', `/v1/executions/${id}`)
      expect((await remove('stays', 1)).status).toBe(204)
    })

    it('does not ask for the Executions of the newest version to be deleted, which would not help', async () => {
      await talk.deploy('newest', { description: 'one' })
      await talk.start('newest', { do: 'return' })
      const refused = await remove('newest', 1)
      expectRefused(refused, 409, 'version_in_use')
      expect(refused.json.error.message).toBe('Version 1 of Program newest cannot be removed: it is the newest.')
    })
  })
}
