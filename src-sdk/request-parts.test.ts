import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { executionsQuery, pageQuery, path } from './request-parts.ts'

describe('a path', () => {
  it('sends any id unchanged, as one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        fc.pre(id !== '.' && id !== '..' && id.isWellFormed())
        const { pathname, search, hash } = new URL(`http://localhost:3477/base${path`/v1/programs/${id}/versions`}`)
        const segments = pathname.split('/')
        expect(segments).toHaveLength(6)
        expect(decodeURIComponent(segments[4] ?? '')).toBe(id)
        expect(search + hash).toBe('')
      }),
    )
  })

  it.each(['', '.', '..', undefined, null, 5, {}])('refuses %j, which is not valid in a URL', (id) => {
    expect(() => path`/v1/programs/${id as string}`).toThrow(TypeError)
  })

  it('refuses an unpaired surrogate', () => {
    expect(() => path`/v1/programs/${'\ud800'}`).toThrow(TypeError)
  })
})

describe('a query', () => {
  it('is empty without parameters', () => {
    expect(pageQuery(undefined)).toBe('')
    expect(pageQuery({})).toBe('')
    expect(pageQuery({ limit: undefined, cursor: null })).toBe('')
  })

  it('contains a page', () => {
    expect(pageQuery({ limit: 5, cursor: 'a+b/c=' })).toBe('?limit=5&cursor=a%2Bb%2Fc%3D')
  })

  it('contains any cursor and text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (q, cursor) => {
        fc.pre(q.isWellFormed() && cursor.isWellFormed())
        const sent = new URLSearchParams(executionsQuery({ q, cursor }))
        expect([sent.get('q'), sent.get('cursor')]).toEqual([q, cursor])
      }),
    )
  })

  it('contains the filters, repeated for each status', () => {
    const createdAfter = new Date(Date.UTC(2026, 0, 2))
    const filter = { status: ['failed', 'waiting'], programId: 'a b', version: 3, createdAfter } as const
    expect(executionsQuery({ ...filter, limit: 1 })).toBe(
      '?limit=1&status=failed&status=waiting&programId=a%20b&version=3&createdAfter=2026-01-02T00%3A00%3A00.000Z',
    )
    expect(executionsQuery({ status: 'failed', createdBefore: '2026-01-02T00:00:00.000Z' })).toBe(
      '?status=failed&createdBefore=2026-01-02T00%3A00%3A00.000Z',
    )
  })

  it('contains every filter, and no other members', () => {
    const filter = {
      notStatus: 'failed',
      notProgramId: ['a', 'b'],
      finishedAfter: '2026-01-01',
      finishedBefore: new Date(0),
      notQ: 'x y',
      label: 'order 7',
      needsAttention: false,
      waitingKind: 'event',
      waitingName: 'ü',
      errorFingerprint: 'f',
      againOf: ['exe_1', 'exe_2'],
    } as const
    expect(executionsQuery({ ...filter, more: 1 } as typeof filter)).toBe(
      '?notStatus=failed&notProgramId=a&notProgramId=b&finishedAfter=2026-01-01' +
        '&finishedBefore=1970-01-01T00%3A00%3A00.000Z&notQ=x%20y&label=order%207&needsAttention=false&waitingKind=event' +
        '&waitingName=%C3%BC&errorFingerprint=f&againOf=exe_1&againOf=exe_2',
    )
  })
})
