// The types of the API's requests and responses. Times are ISO 8601 in UTC with milliseconds. Optional members are left
// out when absent, never null.

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue }

export type ExecutionStatus = 'queued' | 'running' | 'waiting' | 'cancelling' | 'completed' | 'failed' | 'cancelled'

/**
 * Groups Programs and Executions. The default project's id is `default` on a local runtime; a hosted service gives it
 * another one, and takes `default` for it.
 */
export type Project = {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
  readonly createdAt: string
}

export type ProjectDescription = {
  /** 1–80 characters, unique in the workspace. */
  readonly name: string
}

/** One stored compiled artifact of a Program. */
export type ProgramVersion = {
  readonly id: string
  readonly programId: string
  /** 1, 2, 3 … within the Program. */
  readonly number: number
  /** SHA-256 of the artifact's canonical JSON without `sdk`. */
  readonly digest: string
  readonly origin: 'upload' | 'source'
  readonly hasEffects: boolean
  /** Whether the answering service can run it. */
  readonly runnable: boolean
  readonly manifest: ProgramManifest
  readonly createdAt: string
}

export type Program = {
  readonly id: string
  readonly projectId: string
  readonly description?: string
  readonly latestVersion: ProgramVersion
  /** Whether the answering service can run any of its versions. */
  readonly runnable: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** A compiled Program, ready to be deployed. */
export type ProgramArtifact = {
  readonly format: 'wes.program/1'
  /** `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`, unique in its project. */
  readonly id: string
  readonly description?: string
  readonly sdk?: string
  /** A classic script whose completion value is an object with `run(ctx, input)`. */
  readonly program: CompiledCode
  readonly manifest?: ProgramManifest
  readonly effects?: CompiledCode
}

/** What `deployProgram` takes: an artifact as TypeScript types an imported JSON file. The service checks it. */
export type ProgramUpload = Omit<ProgramArtifact, 'format' | 'manifest'> & {
  /** `wes.program/1` */
  readonly format: string
  /** A ProgramManifest, which may have further members. */
  readonly manifest?: object
}

export type CompiledCode = {
  readonly code: string
  readonly sourceMap?: string
}

/** What a Program declares. The service keeps other members as they are. */
export type ProgramManifest = {
  readonly inputSchema?: JsonSchema
  readonly events?: readonly { readonly name: string; readonly payloadSchema?: JsonSchema }[]
  readonly effects?: readonly { readonly name: string; readonly retry?: RetryPolicy; readonly timeoutMs?: number }[]
}

export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/** Durations are milliseconds, or strings such as `"90s"`. */
export type RetryPolicy = {
  readonly maxAttempts?: number
  readonly initialInterval?: number | string
  readonly backoffCoefficient?: number
  readonly maxInterval?: number | string
}

export type ExecutionErrorCode =
  | 'program_error'
  | 'effect_failed'
  | 'nondeterminism'
  | 'history_damaged'
  | 'program_timeout'
  | 'program_out_of_memory'
  | 'history_limit_exceeded'
  | 'result_too_large'
  | 'invalid_result'

/** Why an Execution failed. For `program_error`, `name` and `message` are those of what the Program threw. */
export type ExecutionError = {
  readonly code: ExecutionErrorCode
  readonly message: string
  readonly name?: string
  /** Mapped to the author's source where a source map exists. */
  readonly stack?: string
  readonly cause?: ErrorCause
}

/** What led to an error (`Error.cause`): at most 8 deep and 64 KiB in all. */
export type ErrorCause = {
  readonly name?: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ErrorCause
}

/** An event, timer or effect that an Execution waits for. */
export type Waiting =
  | { readonly kind: 'event'; readonly name: string; readonly since: string; readonly timeoutAt?: string }
  | { readonly kind: 'timer'; readonly wakeAt: string }
  | { readonly kind: 'effect'; readonly name: string; readonly attempt: number; readonly nextAttemptAt?: string }

export type ExecutionSummary = {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionId: string
  readonly versionNumber: number
  readonly status: ExecutionStatus
  readonly error?: ExecutionError
  readonly createdAt: string
  readonly startedAt?: string
  readonly finishedAt?: string
  /** Empty when the status is terminal. */
  readonly waitingFor: readonly Waiting[]
  /** What the Program's `label` returned in the first turn. */
  readonly label?: string
  /** The first 200 characters of the input's JSON. */
  readonly inputPreview?: string
  /** The id of the Execution that this one runs again. */
  readonly againOf?: string
  /** What started it, on the hosted service. */
  readonly trigger?: { readonly id: string; readonly type: 'webhook' | 'schedule' }
}

export type Execution = ExecutionSummary & {
  readonly input?: JsonValue
  readonly result?: JsonValue
  readonly cancelRequestedAt?: string
}

export type ResultView = {
  readonly status: ExecutionStatus
  /** Left out when the Program returned nothing. */
  readonly result?: JsonValue
  readonly error?: ExecutionError
}

/** The receipt of an event. */
export type EventReceipt = {
  readonly id: string
  readonly executionId: string
  readonly name: string
  readonly receivedAt: string
}

/** The receipt of a cancel. */
export type CancelReceipt = {
  readonly id: string
  readonly status: ExecutionStatus
}

/** `code` is the one that the effect's error has, else `effect_failed`. */
type EffectError = Omit<ExecutionError, 'code'> & { readonly code: string }

/** What was done before it was due, because a user asked for it. */
type Early = { readonly early?: true }

/** The `data` of each type of entry. */
type HistoryData = {
  readonly execution_started: { readonly data?: { readonly input?: JsonValue } }
  readonly effect_scheduled: {
    readonly data?: {
      readonly input?: JsonValue
      readonly retry?: {
        readonly maxAttempts?: number
        readonly initialIntervalMs?: number
        readonly backoffCoefficient?: number
        readonly maxIntervalMs?: number
      }
      readonly timeoutMs?: number
    }
  }
  readonly effect_attempt_failed: {
    readonly data: { readonly error: EffectError; readonly nextAttemptAt: string } & Early
  }
  readonly effect_completed: { readonly data?: { readonly result?: JsonValue } & Early }
  readonly effect_failed: { readonly data: { readonly error: EffectError } & Early }
  readonly timer_scheduled: { readonly data: { readonly wakeAt: string } }
  readonly timer_fired: { readonly data?: Early }
  readonly wait_scheduled: { readonly data?: { readonly timeoutAt?: string } }
  readonly wait_timed_out: { readonly data?: Early }
  readonly event_received: { readonly data: { readonly id: string; readonly payload?: JsonValue } }
  readonly event_delivered: { readonly data: { readonly id: string } }
  readonly log: { readonly data: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string } }
  readonly cancel_requested: { readonly data?: never }
  readonly execution_completed: { readonly data?: { readonly result?: JsonValue } }
  readonly execution_failed: { readonly data: { readonly error: ExecutionError } }
  readonly execution_cancelled: { readonly data?: never }
}

export type HistoryEntryType = keyof HistoryData

type EntryOf<Type extends HistoryEntryType> = HistoryData[Type] & {
  readonly position: number
  readonly at: string
  readonly type: Type
  /** The number of the command within its Execution, from 1. */
  readonly command?: number
  readonly name?: string
  /** From 1. */
  readonly attempt?: number
}

/**
 * One entry of an Execution's journal. Its `type` tells what its `data` has. A newer service may return further types.
 * Behind a `switch` that names all of these, the entry is `never`: read its `data` before the `switch`.
 */
export type HistoryEntry = { readonly [Type in HistoryEntryType]: EntryOf<Type> }[HistoryEntryType]

/** Hosted services only. */
export type WhoAmI = {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly token: {
    readonly id: string
    readonly name: string
    readonly role: 'read' | 'write' | 'admin'
    readonly createdAt: string
    readonly expiresAt?: string
  }
  readonly defaultProjectId: string
}

export type List<Item> = {
  readonly items: readonly Item[]
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null
}

export type Page = {
  /** 1–200; the service's default is 50. */
  readonly limit?: number | undefined
  /** `nextCursor` of the page before. null and undefined ask for the first page. */
  readonly cursor?: string | null | undefined
}

/** Selects the Executions that match every given member. */
export type ExecutionFilter = {
  /** Any of these. */
  readonly status?: ExecutionStatus | readonly ExecutionStatus[] | undefined
  /** None of these. */
  readonly notStatus?: ExecutionStatus | readonly ExecutionStatus[] | undefined
  readonly programId?: string | undefined
  /** None of these. */
  readonly notProgramId?: string | readonly string[] | undefined
  /** A version's number. */
  readonly version?: number | undefined
  /** Exclusive, like the other times. */
  readonly createdAfter?: string | Date | undefined
  readonly createdBefore?: string | Date | undefined
  /** Only Executions that ended after this time. */
  readonly finishedAfter?: string | Date | undefined
  readonly finishedBefore?: string | Date | undefined
  /** Matches the beginning of an id, or text in the error's message. */
  readonly q?: string | undefined
  /** Excludes Executions with this text in the error's message. */
  readonly notQ?: string | undefined
  /**
   * Text in the label; A to Z match a to z. A service without `label-filter` among the features of `/healthz` ignores it:
   * `listExecutions` rejects then with `invalid_response`.
   */
  readonly label?: string | undefined
  /** Only those that failed, wait while an effect backs off, or have waited for the same event for over an hour. */
  readonly needsAttention?: boolean | undefined
  /** What the Executions wait for. */
  readonly waitingKind?: Waiting['kind'] | undefined
  /** The name of the event or effect that the Executions wait for. */
  readonly waitingName?: string | undefined
  /** The fingerprint of an ErrorGroup. */
  readonly errorFingerprint?: string | undefined
  /** The id of the Trigger that started them. */
  readonly triggerId?: string | undefined
  /**
   * The id of an Execution that they run again, or several (at most 100): of any of these. A service without
   * `label-filter` ignores it, too.
   */
  readonly againOf?: string | readonly string[] | undefined
}
