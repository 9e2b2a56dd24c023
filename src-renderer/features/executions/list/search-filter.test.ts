import { describe, expect, it } from 'vitest'
import { parseSearch } from '../../../parts/search-parameters.ts'
import { executionIdIn, filterFromText, filterOf, isFiltered, textOf, type ListFilter } from './search-filter.ts'

describe('the filter in the URL', () => {
  it('has the names of the API, with lists for repeatable ones', () => {
    const search = {
      status: 'failed',
      notStatus: ['queued', 'running'],
      programId: 'order',
      notProgramId: 'report',
      version: '3',
      createdAfter: '-15m',
      createdBefore: '2026-11-20T12:00:00.000Z',
      q: 'declined',
      needsAttention: 'true',
      waitingKind: 'event',
      waitingName: 'approved',
      errorFingerprint: 'abc',
      label: 'Anna',
      againOf: ['exe_1', 'exe_2'],
    }
    expect(filterOf(search)).toEqual({
      ...search,
      status: ['failed'],
      notProgramId: ['report'],
      version: 3,
      needsAttention: true,
    })
  })

  it('keeps values that are not known apart', () => {
    const search = {
      status: ['failed', 'fialed', 'failed'],
      version: '0x3',
      createdAfter: 'yesterday',
      q: '',
      notQ: 'x'.repeat(501),
      label: 'x'.repeat(201),
      needsAttention: 'maybe',
      waitingKind: 'godot',
      programId: { a: 1 },
    }
    const unknown = [
      'status=fialed',
      'version=0x3',
      'createdAfter=yesterday',
      `notQ=${'x'.repeat(501)}`,
      `label=${'x'.repeat(201)}`,
      'needsAttention=maybe',
      'waitingKind=godot',
    ]
    expect(filterOf(search)).toEqual({ status: ['failed'], unknown })
    expect(filterOf({ needsAttention: 'false' })).toEqual({})
  })

  it('keeps names that are not known apart', () => {
    const search = parseSearch('?statuss=failed&Status=failed&status=failed&constructor=1&__proto__=2&tab=executions')
    const unknown = ['statuss=failed', 'Status=failed', 'constructor=1', '__proto__=2']
    expect(filterOf(search)).toEqual({ status: ['failed'], unknown })
    expect(filterOf({ tab: 'executions', statuss: '' })).toEqual({})
  })

  it('keeps further values apart where the API takes one', () => {
    expect(filterOf(parseSearch('?programId=a&programId=b&notProgramId=c&notProgramId=d'))).toEqual({
      programId: 'a',
      notProgramId: ['c', 'd'],
      unknown: ['programId=b'],
    })
  })

  it('adds a zone to times without one', () => {
    const { createdAfter } = filterOf({ createdAfter: '2026-11-20T12:00' })
    expect(createdAfter).toBe(new Date('2026-11-20T12:00').toISOString())
  })

  it('may come unchanged from a link', () => {
    const filter: ListFilter = { version: 3, needsAttention: true, status: ['failed'], programId: 'a' }
    expect(filterOf(filter)).toEqual(filter)
    const unknown = filterOf({ status: 'fialed' })
    expect(filterOf(unknown)).toEqual(unknown)
    expect(isFiltered(unknown)).toBe(true)
  })

  it('says whether there is a filter', () => {
    expect(isFiltered({})).toBe(false)
    expect(isFiltered({ q: undefined })).toBe(false)
    expect(isFiltered({ status: ['failed'] })).toBe(true)
  })

  it('can be stored and restored', () => {
    const filter: ListFilter = {
      status: ['failed', 'cancelled'],
      q: 'a&b=c',
      needsAttention: true,
      version: 2,
      unknown: ['version=x'],
    }
    expect(filterFromText(textOf(filter))).toEqual(filter)
    expect(filterFromText('')).toEqual({})
  })
})

describe('a whole id', () => {
  it('is recognised in any copied form', () => {
    expect(executionIdIn(' EXE_01m7x4cwb5eh2841536adwqkq6\n')).toBe('exe_01m7x4cwb5eh2841536adwqkq6')
    expect(executionIdIn('01m7x4cwb5eh2841536adwqkq6')).toBe('exe_01m7x4cwb5eh2841536adwqkq6')
  })

  it.each(['exe_01m7x4cwb5eh2841536adwqkq', 'exe_81m7x4cwb5eh2841536adwqkq6', 'prj_01m7x4cwb5eh2841536adwqkq6', ''])(
    'is not seen in "%s"',
    (text) => expect(executionIdIn(text)).toBeUndefined(),
  )
})
