import { expect, it } from 'vitest'
import { totalIn } from './use-counts.ts'

const counts = { queued: 1, running: 2, waiting: 3, cancelling: 4, completed: 5, failed: 6, cancelled: 7 }

it.each([
  ['all statuses', {}, 28],
  ['some', { status: ['queued', 'failed'] }, 7],
  ['all but some', { notStatus: ['queued', 'failed'] }, 21],
  ['what needs attention', { needsAttention: true }, 8],
  [
    'what needs attention among some, which these counts do not say',
    { needsAttention: true, status: ['failed'] },
    undefined,
  ],
  ['what needs attention but for some', { needsAttention: true, notStatus: ['failed'] }, undefined],
] as const)('counts %s', (_what, filter, total) => {
  expect(totalIn({ counts, needsAttention: 8 }, filter)).toBe(total)
})
