import { type AddressOptions, chooseAddress } from './address.ts'
import type { Sendable } from './as-json.ts'
import type {
  CancelReceipt,
  EventReceipt,
  Execution,
  ExecutionFilter,
  ExecutionSummary,
  HistoryEntry,
  List,
  Page,
  Program,
  ProgramUpload,
  ProgramVersion,
  Project,
  ProjectDescription,
  ResultView,
  WhoAmI,
} from './contract-types.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { eventNameOf, type EventReference, programIdOf, type ProgramReference, type ResultOf } from './definitions.ts'
import {
  cancelExecution,
  createExecutionHandle,
  type ExecutionHandle,
  hasStatus,
  type PayloadArgument,
  type SendOptions,
  sendEvent,
} from './execution-handle.ts'
import { hostedMethods, type HostedMethods } from './hosted-methods.ts'
import { idempotencyHeader } from './idempotency-header.ts'
import { inspectionMethods, type InspectionMethods } from './inspection-methods.ts'
import { checkMaxRetries, MAX_RETRIES, repeatRefused } from './repeat-refused.ts'
import { checkRequestLimit, REQUEST_LIMIT_MS } from './request-limit.ts'
import { runProgram } from './run-program.ts'
import { executionsQuery, optionalMember, pageQuery, path } from './request-parts.ts'
import {
  type CallOptions,
  createExchange,
  createTransport,
  type Exchange,
  type Get,
  hasId,
  hasItems,
  hasObject,
  type IsAnswer,
  type ParseJson,
  type Post,
  type Repeat,
  type Transport,
} from './transport.ts'
import { withoutOthers } from './unknown-filters.ts'
import type { WaitOptions } from './wait-for-result.ts'
import { type FetchFunction, readEnvironment, type WebAbortSignal, web } from './web-platform.ts'

export type ClientOptions = AddressOptions & {
  /**
   * The service's address; a path in it is kept. Without it: with a token `SERVICE_API_BASE_URL`, else the hosted
   * service; without a token `SERVICE_RUNTIME_URL`, else `http://localhost:3477`.
   */
  readonly url?: string | undefined
  /** The bearer token. Without it `SERVICE_TOKEN`; local runtimes need none. */
  readonly token?: string | undefined
  /** The default is the workspace's default project. */
  readonly projectId?: string | undefined
  /** Called instead of the platform's `fetch`. */
  readonly fetch?: FetchFunction | undefined
  /**
   * Called instead of `JSON.parse` with each answer: inputs and results may hold numbers that JavaScript's cannot. What
   * it makes of them has to survive `JSON.stringify`, where it is to be sent back. Throws for what is not JSON.
   */
  readonly parseJson?: ParseJson | undefined
  /**
   * Milliseconds until a request without an answer rejects with `network_error`; the default is 75,000. Its repeats
   * count too. Does not limit `result()`, `run()` and `streamChanges()`, which send further requests.
   */
  readonly timeout?: number | undefined
  /**
   * How often a request is sent again that the service refused for the moment; the default is 4, and 0 turns it off. After
   * 429 `rate_limited` any request, because it has done nothing; after 408, 502, 503 and 504 those that read and those
   * with an idempotency key. Waits for as long as `Retry-After` says, or half a second, and then longer each time, with
   * random differences. If that is more than a minute, or does not fit into the `timeout`, the refusal is thrown at
   * once. Connections that fail are not repeated.
   */
  readonly maxRetries?: number | undefined
}

export type StartOptions = CallOptions & {
  /** A version's number; the default is the newest runnable version. */
  readonly version?: number | undefined
  /** 1–255 characters. Within 24 h, an equal request with the same key returns the same Execution. */
  readonly idempotencyKey?: string | undefined
  /** The id of the Execution that the new one runs again. */
  readonly againOf?: string | undefined
}

/** The options of a start and of a wait. The `timeout` counts from the call. */
export type RunOptions = StartOptions & WaitOptions

/** An input may be left out only where its type allows it. */
export type RunArguments<Input> = undefined extends Input
  ? [input?: Sendable<Input>, options?: RunOptions]
  : [input: Sendable<Input>, options?: RunOptions]

/** An input may be left out only where its type allows it. */
export type StartArguments<Input> = undefined extends Input
  ? [input?: Sendable<Input>, options?: StartOptions]
  : [input: Sendable<Input>, options?: StartOptions]

/**
 * The API, one method for each route. Failures reject with a ServiceRuntimeError. A request is sent again when the
 * service refused it for the moment (see `maxRetries`). When the connection fails, only these go on: `result()` of a
 * handle and `streamChanges()`, which read, and `run()`, whose start has a key. The functions do not depend on `this`.
 */
export type ServiceClient = HostedMethods &
  InspectionMethods & {
    /** The token's workspace. Hosted services only; a local runtime refuses with `hosted_only`. */
    whoAmI(this: void, options?: CallOptions): Promise<WhoAmI>
    /** Returns all projects: the default one first, then oldest first. */
    listProjects(this: void, options?: CallOptions): Promise<List<Project>>
    /** Rejects with `project_exists` if the name is taken. */
    createProject(this: void, project: ProjectDescription, options?: CallOptions): Promise<Project>
    /**
     * Stores the artifact, 16 MiB at most, as a new version, unless its content equals the latest. Rejects with
     * `invalid_artifact` when its code, its effects or a schema cannot be used.
     */
    deployProgram(this: void, artifact: ProgramUpload, options?: CallOptions): Promise<Program>
    /** A page of them, sorted by id. */
    listPrograms(this: void, page?: Page, options?: CallOptions): Promise<List<Program>>
    /** Alias of `listPrograms`. */
    programs(this: void, page?: Page, options?: CallOptions): Promise<List<Program>>
    /** With its latest version. Rejects with `program_not_found`. */
    getProgram(this: void, id: string, options?: CallOptions): Promise<Program>
    /** Newest first. */
    listProgramVersions(this: void, id: string, page?: Page, options?: CallOptions): Promise<List<ProgramVersion>>
    /**
     * Resolves once the Execution is durable, perhaps before it runs. Rejects with `program_not_found`, `invalid_input`
     * when the input does not match the Program's schema, or `program_not_runnable`.
     */
    start<Result = unknown, Input = unknown>(
      this: void,
      program: string | ProgramReference<Input, Result>,
      ...input: StartArguments<NoInfer<Input>>
    ): Promise<ExecutionHandle<Result>>
    /**
     * Starts an Execution and waits until it ends, like `start()` followed by `result()` of the handle, but in one
     * request when the Execution is quick. Resolves and rejects as `result()` does. Neither an abort nor a timeout ends
     * the Execution. When the connection breaks, sends the start again with the same idempotency key: yours, or one made
     * for this run.
     */
    run<Result = unknown, Input = unknown>(
      this: void,
      program: string | ProgramReference<Input, Result>,
      ...input: RunArguments<NoInfer<Input>>
    ): Promise<Result>
    /** With its input and result. Rejects with `execution_not_found`. */
    getExecution(this: void, id: string, options?: CallOptions): Promise<Execution>
    /** Newest first. */
    listExecutions(this: void, page?: Page & ExecutionFilter, options?: CallOptions): Promise<List<ExecutionSummary>>
    /** Alias of `listExecutions`. */
    executions(this: void, page?: Page & ExecutionFilter, options?: CallOptions): Promise<List<ExecutionSummary>>
    /** Resolves once the event is durable. Rejects with `execution_finished` when the Execution has ended. */
    sendEvent<Payload = unknown>(
      this: void,
      id: string,
      event: string | EventReference<Payload>,
      ...payload: PayloadArgument<NoInfer<Payload>>
    ): Promise<EventReceipt>
    /** Like `cancel()` of a handle. Rejects with `execution_finished` when it has completed or failed. */
    cancelExecution(this: void, id: string, options?: CallOptions): Promise<CancelReceipt>
    /** Returns the current status, with the result or the error if there is one. Does not wait. */
    getResult(this: void, id: string, options?: CallOptions): Promise<ResultView>
    /** The journal, oldest first. */
    getHistory(this: void, id: string, page?: Page, options?: CallOptions): Promise<List<HistoryEntry>>
  }

/** All methods but `run()`. */
export type PlainClient = Omit<ServiceClient, 'run'>

const transports = new WeakMap<PlainClient, Transport>()

/** Resolves the address and the token now. Empty environment variables count as unset. */
export const createClient = (options: ClientOptions = {}): ServiceClient => {
  // Modules that Programs share with effects may create one.
  if (isInProgram()) return new Proxy({} as ServiceClient, { get: () => refuseInProgram })
  const maxRetries = checkMaxRetries(options.maxRetries ?? MAX_RETRIES)
  const fetch = boundedFetch(options.fetch ?? platformFetch)
  const plain = createPlainClient({ ...options, fetch }, repeatRefused(maxRetries))
  const transport = transports.get(plain)!
  const client: ServiceClient = {
    ...plain,
    run: async <Result>(program: string | ProgramReference, input?: unknown, options: RunOptions = {}) =>
      (await runProgram(
        transport,
        (headers, signal) => sendStart(transport, program, input, options, { headers, signal }),
        options,
        maxRetries,
      )) as Result,
  }
  transports.set(client, transport)
  return client
}

/** For the dashboard, whose bundle is smaller without `run()`, and which asks again by itself. */
export const createPlainClient = (options: Omit<ClientOptions, 'maxRetries'>, repeat?: Repeat): PlainClient => {
  const fetch = options.fetch
  const address = chooseAddress(options, readEnvironment, web.location?.protocol)
  const exchange = createExchange(address, (url, init) =>
    fetch === undefined ? platformFetch(url, init) : fetch(url, init),
  )
  const limitMs = checkRequestLimit(options.timeout ?? REQUEST_LIMIT_MS)
  const transport = createTransport(exchange, address, limitMs, options.parseJson, repeat)
  const client = clientOn(transport, exchange)
  transports.set(client, transport)
  return client
}

const isInProgram = (): boolean => web.setTimeout === undefined

const refuseInProgram = (): never => {
  throw new TypeError('A client is not available in a Program: call it in an effect, or where you start Executions')
}

/**
 * A handle for an Execution that was started elsewhere, or before the caller restarted. Sends nothing. To type what
 * `result()` resolves with, name the Program, as `executionHandle<typeof orderApproval>(client, id)`, or that type.
 */
export const executionHandle = <Program = unknown>(
  client: ServiceClient,
  id: string,
): ExecutionHandle<ResultOf<Program>> => {
  if (isInProgram()) return refuseInProgram()
  const transport = transports.get(client)
  if (transport === undefined) throw new TypeError('executionHandle takes a client that createClient made')
  return createExecutionHandle<ResultOf<Program>>(transport, id)
}

const platformFetch: FetchFunction = (url, init) => {
  // Looks up `fetch` for each call, so that replacing the global takes effect, and calls it as a method, as browsers
  // require.
  if (web.fetch === undefined) throw new ReferenceError('This platform has no fetch: pass one to createClient')
  return web.fetch(url, init)
}

const sendStart = async (
  transport: Transport,
  program: string | ProgramReference,
  input: unknown,
  options: StartOptions,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: WebAbortSignal | undefined } = {},
): Promise<Execution> => {
  const { version, idempotencyKey, againOf } = options
  const answer = await transport<Execution>({
    method: 'POST',
    path: '/v1/executions',
    body: {
      programId: programIdOf(program),
      ...optionalMember('input', input),
      ...(version === undefined ? {} : { version }),
      ...(againOf === undefined ? {} : { againOf }),
    },
    headers: { ...idempotencyHeader(idempotencyKey), ...more.headers },
    options,
    ...(more.signal === undefined ? {} : { signal: more.signal }),
    isAnswer: hasId,
  })
  return answer.value
}

const clientOn = (transport: Transport, exchange: Exchange): PlainClient => {
  const get: Get = async <Answer>(from: string, isAnswer: IsAnswer, options?: CallOptions) =>
    (await transport<Answer>({ method: 'GET', path: from, isAnswer, options })).value
  const post: Post = async <Answer>(to: string, isAnswer: IsAnswer, body: unknown, options?: CallOptions) =>
    (await transport<Answer>({ method: 'POST', path: to, isAnswer, body, options })).value

  const listPrograms = async (page?: Page, options?: CallOptions) =>
    get<List<Program>>(`/v1/programs${pageQuery(page)}`, hasItems, options)
  const listExecutions = async (page?: Page & ExecutionFilter, options?: CallOptions) =>
    withoutOthers(await get<List<ExecutionSummary>>(`/v1/executions${executionsQuery(page)}`, hasItems, options), page)
  const start = async <Result>(program: string | ProgramReference, input?: unknown, options: StartOptions = {}) =>
    createExecutionHandle<Result>(transport, (await sendStart(transport, program, input, options)).id)

  return {
    whoAmI: async (options) => get('/v1/whoami', hasObject('workspace'), options),
    listProjects: async (options) => get('/v1/projects', hasItems, options),
    createProject: async (project, options) => post('/v1/projects', hasId, project, options),
    deployProgram: async (artifact, options) => post('/v1/programs/deploy', hasId, artifact, options),
    listPrograms,
    programs: listPrograms,
    getProgram: async (id, options) => get(path`/v1/programs/${id}`, hasId, options),
    listProgramVersions: async (id, page, options) =>
      get(path`/v1/programs/${id}/versions` + pageQuery(page), hasItems, options),
    start,
    getExecution: async (id, options) => get(path`/v1/executions/${id}`, hasId, options),
    listExecutions,
    executions: listExecutions,
    sendEvent: async (id: string, event: string | EventReference, payload?: unknown, options?: SendOptions) =>
      sendEvent(transport, id, eventNameOf(event), payload, options),
    cancelExecution: async (id, options) => cancelExecution(transport, id, options),
    getResult: async (id, options) => get(path`/v1/executions/${id}/result`, hasStatus, options),
    getHistory: async (id, page, options) =>
      get(path`/v1/executions/${id}/history` + pageQuery(page), hasItems, options),
    ...hostedMethods(transport, get),
    ...inspectionMethods(transport, exchange, { get, post }),
  }
}
