// Queries that several operations take.

import { Type } from 'typebox'
import { filterTimes, WaitingKind } from './inspection-models.ts'
import { AGAIN_OF_MAX, LABEL_LIMIT, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.ts'
import { PROGRAM_ID_PATTERN } from '../shared/patterns.ts'
import { ExecutionStatus } from './models.ts'

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })),
  cursor: Type.Optional(Type.String({ minLength: 1, description: '`nextCursor` of the page before.' })),
}

export const programIdQuery = Type.String({ pattern: PROGRAM_ID_PATTERN })

/** All have to match. */
export const filterQuery = {
  status: Type.Optional(Type.Array(ExecutionStatus, { description: 'Repeatable: any of these.' })),
  notStatus: Type.Optional(Type.Array(ExecutionStatus, { description: 'Repeatable: none of these.' })),
  programId: Type.Optional(programIdQuery),
  notProgramId: Type.Optional(Type.Array(programIdQuery, { description: 'Repeatable: none of these.' })),
  version: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of a version.' })),
  ...filterTimes,
  q: Type.Optional(
    Type.String({ maxLength: 500, description: "The beginning of an id, or text in the error's message." }),
  ),
  notQ: Type.Optional(Type.String({ maxLength: 500, description: "Text that is not in the error's message." })),
  label: Type.Optional(Type.String({ maxLength: LABEL_LIMIT, description: 'Text in the label.' })),
  needsAttention: Type.Optional(
    Type.Boolean({
      description:
        '`true`: only those that failed, wait while an effect backs off, or have waited for the same event for over an hour.',
    }),
  ),
  waitingKind: Type.Optional(WaitingKind),
  waitingName: Type.Optional(
    Type.String({ maxLength: 200, description: 'Name of an event or effect that is awaited; empty: a timer is.' }),
  ),
  errorFingerprint: Type.Optional(Type.String({ maxLength: 64, description: 'Of a group of failures.' })),
  triggerId: Type.Optional(Type.String({ maxLength: 64, description: 'Of what started them.' })),
  againOf: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: AGAIN_OF_MAX,
      description: 'Id of an Execution that they run again. Repeatable: any of these.',
    }),
  ),
}
