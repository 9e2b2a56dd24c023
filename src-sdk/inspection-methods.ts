// Methods beyond the interface specification: reading and changing many Executions, and inspecting the runtime.

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
import { errorsQuery, executionsQuery, metricsQuery, pageQuery, path } from './request-parts.ts'
import { type ChangeMessage, type ChangesOptions, streamChanges } from './stream-changes.ts'
import {
  type CallOptions,
  type Exchange,
  type Get,
  hasId,
  hasItems,
  hasList,
  hasObject,
  hasText,
  type Post,
  type Transport,
} from './transport.ts'

export type InspectionMethods = {
  /** The artifact of a version, without `sdk` and `description`. */
  getProgramArtifact(
    this: void,
    id: ProgramVersion['programId'],
    number: ProgramVersion['number'],
    options?: CallOptions,
  ): Promise<ProgramArtifact>
  /**
   * Deletes a version. Rejects with `version_in_use` while an Execution uses it, or when it is the newest (runnable)
   * one.
   */
  deleteProgramVersion(
    this: void,
    id: ProgramVersion['programId'],
    number: ProgramVersion['number'],
    options?: CallOptions,
  ): Promise<void>
  /** Counts the matching Executions by status. */
  countExecutions(this: void, filter?: ExecutionFilter, options?: CallOptions): Promise<ExecutionCounts>
  /**
   * Fires a timer, or the timeout of a wait, now. `command` is its number in the history. May be repeated; rejects with
   * `command_not_open` once the command has ended.
   */
  fireCommand(this: void, id: Execution['id'], command: number, options?: CallOptions): Promise<Execution>
  /** Starts the next attempt of an effect that is backing off. Otherwise like `fireCommand`. */
  retryCommand(this: void, id: Execution['id'], command: number, options?: CallOptions): Promise<Execution>
  /** Deletes an Execution that has ended, and its history. Rejects with `execution_not_finished` before that. */
  deleteExecution(this: void, id: Execution['id'], options?: CallOptions): Promise<void>
  /** Starts a bulk action; resolves at once. Rejects for an unknown filter or one with an undefined member, and when more than 100,000 Executions match. */
  startBulk(this: void, request: BulkRequest, options?: CallOptions): Promise<Bulk>
  /** How far it is. Rejects with `bulk_not_found`. */
  getBulk(this: void, id: Bulk['id'], options?: CallOptions): Promise<Bulk>
  /** Stops a bulk action. What it has done is not undone. */
  stopBulk(this: void, id: Bulk['id'], options?: CallOptions): Promise<Bulk>
  /** What Executions wait for, by kind, name and Program. */
  listWaiting(this: void, page?: Page, options?: CallOptions): Promise<List<WaitingGroup>>
  /** Failures grouped by fingerprint, latest failure first. */
  listErrors(this: void, page?: Page & ErrorFilter, options?: CallOptions): Promise<List<ErrorGroup>>
  /** How many Executions started and ended in each step of a time range, and how long they took. */
  getMetrics(this: void, query?: MetricsQuery, options?: CallOptions): Promise<Metrics>
  /** The project folder, its Programs and the errors in its source. Local runtimes only. */
  getSource(this: void, options?: CallOptions): Promise<SourceStatus>
  /** The runtime and its child processes. Local runtimes only. */
  getRuntime(this: void, options?: CallOptions): Promise<RuntimeStatus>
  /**
   * Streams changes of Executions, each after its commit: `for await (const message of client.streamChanges())`.
   *
   * Reconnects with growing pauses and without a gap. When a gap is unavoidable, the message `reset` says so: read
   * again what you show. Ends when `signal` aborts. Rejects when the service refuses.
   */
  streamChanges(this: void, options?: ChangesOptions): AsyncIterable<ChangeMessage>
}

export const inspectionMethods = (
  transport: Transport,
  exchange: Exchange,
  { get, post }: { readonly get: Get; readonly post: Post },
): InspectionMethods => {
  const remove = async (path: string, options: CallOptions | undefined): Promise<void> => {
    await transport({ method: 'DELETE', path, options })
  }
  return {
    getProgramArtifact: async (id, number, options) =>
      get(path`/v1/programs/${id}/versions/${String(number)}/artifact`, hasId, options),
    deleteProgramVersion: async (id, number, options) =>
      remove(path`/v1/programs/${id}/versions/${String(number)}`, options),
    countExecutions: async (filter, options) =>
      get(`/v1/executions/counts${executionsQuery(filter)}`, hasObject('counts'), options),
    fireCommand: async (id, command, options) =>
      post(path`/v1/executions/${id}/commands/${String(command)}/fire`, hasId, undefined, options),
    retryCommand: async (id, command, options) =>
      post(path`/v1/executions/${id}/commands/${String(command)}/retry`, hasId, undefined, options),
    deleteExecution: async (id, options) => remove(path`/v1/executions/${id}`, options),
    startBulk: async ({ action, ids, filter }, options) => {
      if (ids === undefined && filter === undefined) {
        throw new TypeError('startBulk needs ids or a filter; the filter {} matches every Execution')
      }
      const missing = Object.entries(filter ?? {}).find(([, value]) => value === undefined)
      if (missing !== undefined) {
        throw new TypeError(`The filter's ${missing[0]} is undefined, and without it, the filter would match more`)
      }
      // The whole filter: the service refuses members that it does not know. Without them, the filter would match more.
      return post('/v1/bulk', hasId, { action, ids, filter }, options)
    },
    getBulk: async (id, options) => get(path`/v1/bulk/${id}`, hasId, options),
    stopBulk: async (id, options) => post(path`/v1/bulk/${id}/stop`, hasId, undefined, options),
    listWaiting: async (page, options) => get(`/v1/waiting${pageQuery(page)}`, hasItems, options),
    listErrors: async (page, options) => get(`/v1/errors${errorsQuery(page)}`, hasItems, options),
    getMetrics: async (query, options) => get(`/v1/metrics${metricsQuery(query)}`, hasList('points'), options),
    getSource: async (options) => get('/v1/source', hasText('folder'), options),
    getRuntime: async (options) => get('/v1/runtime', hasText('version'), options),
    streamChanges: (options) => streamChanges(exchange, options),
  }
}
