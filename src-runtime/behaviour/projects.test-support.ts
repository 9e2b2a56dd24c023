// Contract section 2: projects, and which one a request works in.

import { describe, expect, it } from 'vitest'
import { artifact } from './artifacts.test-support.ts'
import type { Part } from './part.test-support.ts'
import { expectRefused, unique } from './talk.test-support.ts'

/** Invisible names, and names with line breaks. */
const BLANK = [' ', '\t', '\u200b\u2060', '\u3000', 'two\nlines', 'bell\u0007', 'nul\u0000', 'line\u2028'].map(
  (name) => ({ name }),
)

export const projects: Part = ({ talk }) => {
  const create = (json: unknown) => talk.call('POST', '/v1/projects', { json })

  describe('projects', () => {
    it('are listed oldest first, after the default project', async () => {
      const name = unique('Zwei')
      const made = await create({ name })
      expect([made.status, made.json.name, made.json.isDefault]).toEqual([201, name, false])
      expect(made.json.id).toMatch(/^prj_[0-9a-z]{26}$/)
      const { items, nextCursor } = await talk.get('/v1/projects?limit=1')
      expect([items[0].isDefault, items.at(-1), nextCursor]).toEqual([true, made.json, null])
    })

    it('have unique names', async () => {
      const name = unique('taken')
      expect((await create({ name })).status).toBe(201)
      expectRefused(await create({ name }), 409, 'project_exists')
    })

    it.each([{}, { name: '' }, { name: 'x'.repeat(81) }, { name: 1 }, { name: null }, { name: 'a\ud800' }, ...BLANK])(
      '%j is none',
      async (body) => {
        expectRefused(await create(body), 400, 'invalid_request')
      },
    )

    it('may have names of 80 characters of any size', async () => {
      const own = unique('wide')
      const ofLength = (length: number) => own + '😀'.repeat(length - own.length)
      expect((await create({ name: ofLength(80) })).status).toBe(201)
      expectRefused(await create({ name: ofLength(81) }), 400, 'invalid_request')
    })

    it('separate Programs and Executions', async () => {
      const there = await talk.inProject()
      const programId = unique('private')
      await there.deploy(programId)
      expectRefused(await talk.call('GET', `/v1/programs/${programId}`), 404, 'program_not_found')
      const id = await there.start(programId)
      const path = `/v1/executions/${id}`
      expect((await talk.get(path)).projectId).toBe(there.projectId)
      expect((await there.get(path)).id).toBe(id)
      const elsewhere = { 'x-service-project-id': 'default' }
      for (const [method, at] of [
        ['GET', path],
        ['GET', `${path}/result`],
        ['GET', `${path}/history`],
        ['POST', `${path}/cancel`],
      ] as const) {
        expectRefused(await talk.call(method, at, { headers: elsewhere }), 404, 'execution_not_found')
      }
      const idsFor = async (which: typeof talk) =>
        (await which.get('/v1/executions')).items.map((item: { id: string }) => item.id) as string[]
      expect(await idsFor(there)).toEqual([id])
      expect(await idsFor(talk)).not.toContain(id)
    })

    it('have a default one, which `default` names in the header as well', async () => {
      const programId = unique('here')
      const { json: program } = await talk.deploy(programId)
      const named = await talk.get(`/v1/programs/${programId}`, { 'x-service-project-id': 'default' })
      const [first] = (await talk.get('/v1/projects')).items
      expect([named, program.projectId]).toEqual([program, first.id])
      expect(await talk.get(`/v1/programs/${programId}`, { 'x-service-project-id': first.id })).toEqual(program)
      const id = await talk.start(programId)
      expect((await talk.get(`/v1/executions/${id}`, { 'x-service-project-id': 'default' })).projectId).toBe(first.id)
    })

    it('work in the default one where the header is empty, as clients do whose project is not given', async () => {
      const programId = unique('unnamed')
      const { json: program } = await talk.deploy(programId)
      for (const id of ['', '  ']) {
        expect(await talk.get(`/v1/programs/${programId}`, { 'x-service-project-id': id })).toEqual(program)
      }
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
      ['GET', '/v1/executions/counts'],
      ['GET', '/v1/waiting'],
      ['GET', '/v1/errors'],
      ['GET', '/v1/metrics'],
      ['GET', '/v1/changes'],
    ])('must exist for %s %s', async (method, path) => {
      const jsons: Readonly<Record<string, unknown>> = {
        '/v1/programs/deploy': artifact('x'),
        '/v1/executions': { programId: 'x' },
        '/v1/executions/x/events': { name: 'x' },
      }
      for (const id of ['prj_unknown', 'prj_00000000000000000000000000', 'Default', 'default, default']) {
        const answer = await talk.call(method, path, {
          headers: { 'x-service-project-id': id },
          ...(method === 'POST' && path in jsons && { json: jsons[path] }),
        })
        expectRefused(answer, 404, 'project_not_found')
      }
    })
  })
}
