import { describe, expect, it } from 'vitest'
import type { Bulk } from '#sdk/index.ts'
import { outcomeOf, possibleIn, progressOf, questionFor } from './bulk.ts'

const bulk = (more: Partial<Bulk>): Bulk => ({
  id: 'b',
  action: 'cancel',
  status: 'running',
  matched: 1_300,
  done: 0,
  failed: 0,
  ...more,
})

describe('the actions on all matches', () => {
  it('apply only to Executions that allow them', () => {
    expect(possibleIn({ programId: 'a' }, 'cancel')).toEqual({
      programId: 'a',
      status: ['queued', 'running', 'waiting'],
    })
    expect(possibleIn({ status: ['failed', 'waiting'] }, 'delete')).toEqual({ status: ['failed'] })
    expect(possibleIn({ notStatus: ['completed'] }, 'delete')).toEqual({ status: ['failed', 'cancelled'] })
  })

  it('are missing if the filter has none of those', () => {
    expect(possibleIn({ status: ['failed'] }, 'cancel')).toBeUndefined()
  })

  it('include running all again', () => {
    expect(possibleIn({ q: 'x' }, 'run-again')).toEqual({ q: 'x' })
    expect(possibleIn({ notStatus: ['failed'] }, 'run-again')?.status).not.toContain('failed')
  })
})

describe('the message', () => {
  it('has the count before the action begins', () => {
    expect(questionFor('delete', 1_300)).toMatchObject({
      title: 'Delete 1,300 Executions?',
      action: 'Delete 1,300 Executions',
    })
    expect(questionFor('cancel', 1).title).toBe('Cancel 1 Execution?')
    expect(questionFor('run-again', undefined).title).toBe('Run again all Executions that match?')
  })

  it('shows the progress', () => {
    expect(progressOf(bulk({ done: 120, failed: 3 }))).toBe('Cancelling: 123 of 1,300; 3 had ended before')
  })

  it('shows the outcome', () => {
    expect(progressOf(bulk({ status: 'done', done: 1_300 }))).toBe('Cancelled 1,300 of 1,300')
    expect(progressOf(bulk({ status: 'stopped', done: 100, failed: 1 }))).toBe(
      'Cancelled 100 of 1,300; 1 had ended before; stopped before the other 1,199',
    )
  })
})

describe('the filter of what an action has done', () => {
  const startedAt = '2026-11-20T16:47:24.898Z'

  it('shows the cancelled or the new Executions since it began, of its Program if it had one', () => {
    expect(outcomeOf({ action: 'cancel', done: 3 }, { startedAt, programId: 'a' })).toEqual({
      status: ['cancelled'],
      programId: 'a',
      finishedAfter: startedAt,
    })
    expect(outcomeOf({ action: 'run-again', done: 3 }, { startedAt })).toEqual({ createdAfter: startedAt })
  })

  it('is missing if there is nothing to show', () => {
    expect(outcomeOf({ action: 'delete', done: 3 }, { startedAt })).toBeUndefined()
    expect(outcomeOf({ action: 'cancel', done: 0 }, { startedAt })).toBeUndefined()
  })
})
