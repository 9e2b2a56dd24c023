// The part of the table that looks at many Executions at once, and at the runtime itself.

import { Type } from 'typebox'
import {
  Bulk,
  ErrorList,
  ExecutionCounts,
  Metrics,
  NewBulk,
  RuntimeStatus,
  SourceStatus,
  WaitingList,
} from './inspection-models.ts'
import { BULK_LIMIT, METRICS_POINTS_LIMIT } from './limits.ts'
import { givenTime } from './models.ts'
import { bodyErrors, type OperationSpec } from './operation-spec.ts'
import { filterQuery, pageQuery, programIdQuery } from './queries.ts'

/** `100,000`. With `toLocaleString`, every start would load the data of all languages. */
const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

const bulkParams = Type.Object({ id: Type.String({ description: 'Id of the bulk.' }) })

export const overviewOperations = {
  countExecutions: {
    method: 'GET',
    path: '/v1/executions/counts',
    tag: 'overview',
    summary: 'Count Executions',
    description: 'Of those that match, how many have each status.',
    role: 'read',
    takesProject: true,
    query: Type.Object(filterQuery),
    answers: { 200: { description: 'The counts.', schema: ExecutionCounts } },
    errors: ['invalid_request', 'project_not_found'],
  },
  startBulk: {
    method: 'POST',
    path: '/v1/bulk',
    tag: 'overview',
    summary: 'Cancel, delete, or run again many Executions',
    description: `In the background, and for at most ${grouped(BULK_LIMIT)} that match now. A local runtime forgets its bulks when it ends, a hosted service a day after their end; what is done is durable.`,
    role: 'write',
    takesProject: true,
    body: NewBulk,
    answers: { 202: { description: 'It has begun.', schema: Bulk } },
    errors: ['project_not_found', 'rate_limited', ...bodyErrors],
  },
  getBulk: {
    method: 'GET',
    path: '/v1/bulk/:id',
    tag: 'overview',
    summary: 'Ask how far a bulk is',
    role: 'read',
    takesProject: false,
    params: bulkParams,
    answers: { 200: { description: 'The bulk.', schema: Bulk } },
    errors: ['bulk_not_found'],
  },
  stopBulk: {
    method: 'POST',
    path: '/v1/bulk/:id/stop',
    tag: 'overview',
    summary: 'Stop a bulk',
    description: 'What is done stays done. Repeatable. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: false,
    params: bulkParams,
    answers: { 202: { description: 'It goes no further.', schema: Bulk } },
    errors: ['bulk_not_found', ...bodyErrors],
  },
  listWaiting: {
    method: 'GET',
    path: '/v1/waiting',
    tag: 'overview',
    summary: 'List what is awaited',
    description: 'By kind, name and Program.',
    role: 'read',
    takesProject: true,
    query: Type.Object(pageQuery),
    answers: { 200: { description: 'A page of what is awaited.', schema: WaitingList } },
    errors: ['invalid_request', 'project_not_found'],
  },
  listErrors: {
    method: 'GET',
    path: '/v1/errors',
    tag: 'overview',
    summary: 'List failures, grouped by fingerprint',
    description: 'The group that failed last comes first.',
    role: 'read',
    takesProject: true,
    query: Type.Object({ ...pageQuery, programId: Type.Optional(programIdQuery) }),
    answers: { 200: { description: 'A page of groups.', schema: ErrorList } },
    errors: ['invalid_request', 'project_not_found'],
  },
  getMetrics: {
    method: 'GET',
    path: '/v1/metrics',
    tag: 'overview',
    summary: 'Read what happened in each step of a time',
    role: 'read',
    takesProject: true,
    query: Type.Object({
      from: Type.Optional(givenTime('By default an hour before `to`.')),
      to: Type.Optional(givenTime('By default now.')),
      step: Type.Optional(
        Type.String({
          description: `Milliseconds, or text such as \`5m\`: from 1 s to 30 days, and for ${grouped(METRICS_POINTS_LIMIT)} points at most. Chosen when absent.`,
        }),
      ),
      programId: Type.Optional(programIdQuery),
    }),
    answers: { 200: { description: 'A point for each step.', schema: Metrics } },
    errors: ['invalid_request', 'project_not_found'],
  },
  getSource: {
    method: 'GET',
    path: '/v1/source',
    tag: 'runtime',
    summary: 'Read the state of the project folder',
    description: 'Local runtimes only.',
    home: 'local',
    role: 'read',
    takesProject: false,
    answers: { 200: { description: 'Its Programs, and what is wrong with them.', schema: SourceStatus } },
    errors: [],
  },
  getRuntime: {
    method: 'GET',
    path: '/v1/runtime',
    tag: 'runtime',
    summary: 'Read the state of the runtime',
    description: 'Local runtimes only.',
    home: 'local',
    role: 'read',
    takesProject: false,
    answers: { 200: { description: 'The runtime, and the processes that it keeps.', schema: RuntimeStatus } },
    errors: [],
  },
} as const satisfies Record<string, OperationSpec>
