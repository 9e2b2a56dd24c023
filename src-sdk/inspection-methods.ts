// The methods beyond the interface specification's table: looking at many Executions at once, changing many of them,
// and looking at the runtime itself.

import type { Execution, ExecutionFilter, List, Page, ProgramArtifact, ProgramVersion } from './contract-types.ts'
import type {
  Bulk,
  BulkRequest,
  ErrorFilter,
  ErrorGroup,
  ExecutionCounts,
  Metrics,
  MetricsQuery,
  RuntimeStatus,
  SourceStatus,
  WaitingGroup,
} from './inspection-types.ts'
import { errorsQuery, executionsQuery, filterMembers, metricsQuery, pageQuery, path } from './request-parts.ts'
import { type ChangeMessage, type ChangesOptions, streamChanges } from './stream-changes.ts'
import type { Exchange, Transport } from './transport.ts'

export type InspectionMethods = {
  /** What a version was deployed as, without `sdk` and `description`. */
  getProgramArtifact(id: ProgramVersion['programId'], number: ProgramVersion['number']): Promise<ProgramArtifact>
  /** Removes a version. Refused with `version_in_use` while an Execution is on it, or it is the newest (that can run). */
  deleteProgramVersion(id: ProgramVersion['programId'], number: ProgramVersion['number']): Promise<void>
  /** How many there are of each status, of those that match. */
  countExecutions(filter?: ExecutionFilter): Promise<ExecutionCounts>
  /**
   * Lets a timer, or the time-out of a wait, fire now. `command` is its number, as the history shows it. May be repeated;
   * refused with `command_not_open` once it was answered.
   */
  fireCommand(id: Execution['id'], command: number): Promise<Execution>
  /** Lets the next attempt of an effect that is backing off begin now. Otherwise like `fireCommand`. */
  retryCommand(id: Execution['id'], command: number): Promise<Execution>
  /** Removes an Execution that has ended, and its history. Refused with `execution_not_finished` before that. */
  deleteExecution(id: Execution['id']): Promise<void>
  /** Begins to work on many Executions; resolves at once. Refused when more than 100,000 match. */
  startBulk(request: BulkRequest): Promise<Bulk>
  getBulk(id: Bulk['id']): Promise<Bulk>
  /** What is done stays done. */
  stopBulk(id: Bulk['id']): Promise<Bulk>
  /** What is awaited, by kind, name and Program. */
  listWaiting(page?: Page): Promise<List<WaitingGroup>>
  /** Failures grouped by fingerprint; the group that failed last comes first. */
  listErrors(page?: Page & ErrorFilter): Promise<List<ErrorGroup>>
  getMetrics(query?: MetricsQuery): Promise<Metrics>
  /** Local runtimes only. */
  getSource(): Promise<SourceStatus>
  /** Local runtimes only. */
  getRuntime(): Promise<RuntimeStatus>
  /**
   * Follows changes of Executions, each told after its commit: `for await (const message of client.streamChanges())`.
   *
   * Lost connections are made again, with growing pauses and without a gap; where there has to be one, a message `reset`
   * says so: read again what you show. Ends when `signal` aborts. Rejects when the service refuses.
   */
  streamChanges(options?: ChangesOptions): AsyncIterable<ChangeMessage>
}

export const inspectionMethods = (
  transport: Transport,
  exchange: Exchange,
  get: <Answer>(path: string) => Promise<Answer>,
  post: <Answer>(path: string, body: unknown) => Promise<Answer>,
): InspectionMethods => ({
  getProgramArtifact: async (id, number) => get(path`/v1/programs/${id}/versions/${String(number)}/artifact`),
  deleteProgramVersion: async (id, number) => {
    await transport({ method: 'DELETE', path: path`/v1/programs/${id}/versions/${String(number)}` })
  },
  countExecutions: async (filter) => get(`/v1/executions/counts${executionsQuery(filter)}`),
  fireCommand: async (id, command) => post(path`/v1/executions/${id}/commands/${String(command)}/fire`, undefined),
  retryCommand: async (id, command) => post(path`/v1/executions/${id}/commands/${String(command)}/retry`, undefined),
  deleteExecution: async (id) => {
    await transport({ method: 'DELETE', path: path`/v1/executions/${id}` })
  },
  startBulk: async ({ action, ids, filter }) => {
    if (ids === undefined && filter === undefined) {
      throw new TypeError('startBulk needs ids or a filter; the filter {} matches every Execution')
    }
    return post('/v1/bulk', ids === undefined ? { action, filter: filterMembers(filter) } : { action, ids })
  },
  getBulk: async (id) => get(path`/v1/bulk/${id}`),
  stopBulk: async (id) => post(path`/v1/bulk/${id}/stop`, undefined),
  listWaiting: async (page) => get(`/v1/waiting${pageQuery(page)}`),
  listErrors: async (page) => get(`/v1/errors${errorsQuery(page)}`),
  getMetrics: async (query) => get(`/v1/metrics${metricsQuery(query)}`),
  getSource: async () => get('/v1/source'),
  getRuntime: async () => get('/v1/runtime'),
  streamChanges: (options) => streamChanges(exchange, options),
})
