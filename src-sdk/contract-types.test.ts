// The client's types are written by hand, because the client imports nothing. Here the compiler compares them with the
// types that derive from the schemas of the API.

import { describe, expectTypeOf, it } from 'vitest'
import type * as inspection from '../src-runtime/contract/inspection-models.ts'
import type { ErrorCode } from '../src-runtime/contract/errors.ts'
import type * as access from '../src-runtime/contract/access-models.ts'
import type * as models from '../src-runtime/contract/models.ts'
import type * as triggers from '../src-runtime/contract/trigger-models.ts'
import type * as usage from '../src-runtime/contract/usage-models.ts'
import type {
  CancelReceipt,
  EventReceipt,
  Execution,
  ExecutionErrorCode,
  ExecutionFilter,
  ExecutionSummary,
  HistoryEntry,
  JsonValue,
  List,
  Program,
  ProgramArtifact,
  ProgramManifest,
  ProgramVersion,
  Project,
  ProjectDescription,
  ResultView,
  Waiting,
  WhoAmI,
} from './contract-types.ts'
import type {
  BillingPlan,
  CreatedToken,
  EnvironmentChange,
  EnvironmentVariable,
  Invoice,
  NewTrigger,
  Role,
  Token,
  Trigger,
  Usage,
  Workspace,
} from './hosted-types.ts'
import type {
  Bulk,
  BulkRequest,
  ErrorGroup,
  ExecutionChange,
  ExecutionCounts,
  Metrics,
  ProgramChange,
  RuntimeHost,
  RuntimeStatus,
  SourceStatus,
  WaitingGroup,
} from './inspection-types.ts'
import type { KnownErrorCode, ServiceRuntimeError } from './service-runtime-error.ts'

/** Without `readonly`, and with every place that takes any JSON value as `unknown`. */
type Comparable<T> = JsonValue extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? Comparable<Item>[]
    : T extends object
      ? { -readonly [Member in keyof T]: Comparable<T[Member]> }
      : T

describe('the hand-written types match the API', () => {
  it('for answers', () => {
    expectTypeOf<Comparable<Project>>().toEqualTypeOf<Comparable<models.Project>>()
    expectTypeOf<Comparable<Program>>().toEqualTypeOf<Comparable<models.Program>>()
    expectTypeOf<Comparable<ProgramVersion>>().toEqualTypeOf<Comparable<models.Version>>()
    expectTypeOf<Comparable<Waiting>>().toEqualTypeOf<Comparable<models.WaitingFor>>()
    expectTypeOf<Comparable<ExecutionSummary>>().toEqualTypeOf<Comparable<models.ExecutionSummary>>()
    expectTypeOf<Comparable<Execution>>().toEqualTypeOf<Comparable<models.Execution>>()
    expectTypeOf<Comparable<ResultView>>().toEqualTypeOf<Comparable<models.ResultView>>()
    expectTypeOf<Comparable<Omit<HistoryEntry, 'data'>>>().toEqualTypeOf<
      Comparable<Omit<models.HistoryEntry, 'data'>>
    >()
    expectTypeOf<Comparable<EventReceipt>>().toEqualTypeOf<Comparable<models.EventReceipt>>()
    expectTypeOf<Comparable<CancelReceipt>>().toEqualTypeOf<Comparable<models.CancelReceipt>>()
    expectTypeOf<Comparable<List<Project>>>().toEqualTypeOf<
      Comparable<{ items: models.Project[]; nextCursor: string | null }>
    >()
  })

  it('for the data of a history entry, by its type', () => {
    type DataOf<Type extends HistoryEntry['type']> = (HistoryEntry & { readonly type: Type })['data']
    expectTypeOf<DataOf<'timer_scheduled'>>().toEqualTypeOf<{ readonly wakeAt: string }>()
    expectTypeOf<NonNullable<DataOf<'effect_completed'>>['result']>().toEqualTypeOf<JsonValue | undefined>()
    expectTypeOf<DataOf<'execution_failed'>['error']['code']>().toEqualTypeOf<ExecutionErrorCode>()
    expectTypeOf<DataOf<'effect_failed'>['error']['code']>().toEqualTypeOf<string>()
    expectTypeOf<HistoryEntry['data']>().toExtend<JsonValue | undefined>()
  })

  it('for answers about many Executions and the runtime', () => {
    expectTypeOf<Comparable<ExecutionCounts>>().toEqualTypeOf<Comparable<inspection.ExecutionCounts>>()
    expectTypeOf<Comparable<Bulk>>().toEqualTypeOf<Comparable<inspection.Bulk>>()
    expectTypeOf<Comparable<WaitingGroup>>().toEqualTypeOf<Comparable<inspection.WaitingGroup>>()
    expectTypeOf<Comparable<ErrorGroup>>().toEqualTypeOf<Comparable<inspection.ErrorGroup>>()
    expectTypeOf<Comparable<Metrics>>().toEqualTypeOf<Comparable<inspection.Metrics>>()
    expectTypeOf<Comparable<SourceStatus>>().toEqualTypeOf<Comparable<inspection.SourceStatus>>()
    expectTypeOf<Comparable<RuntimeHost>>().toEqualTypeOf<Comparable<inspection.RuntimeHost>>()
    expectTypeOf<Comparable<RuntimeStatus>>().toEqualTypeOf<Comparable<inspection.RuntimeStatus>>()
    expectTypeOf<Comparable<ExecutionChange>>().toEqualTypeOf<Comparable<models.Change>>()
    expectTypeOf<Comparable<ProgramChange>>().toEqualTypeOf<Comparable<models.ProgramChange>>()
  })

  it('matches the responses of the hosted service', () => {
    expectTypeOf<Comparable<WhoAmI>>().toEqualTypeOf<Comparable<access.WhoAmI>>()
    expectTypeOf<Comparable<Workspace>>().toEqualTypeOf<Comparable<access.Workspace>>()
    expectTypeOf<Comparable<Token>>().toEqualTypeOf<Comparable<access.Token>>()
    expectTypeOf<Comparable<CreatedToken>>().toEqualTypeOf<Comparable<access.CreatedToken>>()
    expectTypeOf<Comparable<EnvironmentVariable>>().toEqualTypeOf<Comparable<access.EnvironmentVariable>>()
    expectTypeOf<Comparable<Trigger>>().toEqualTypeOf<Comparable<triggers.Trigger>>()
    expectTypeOf<Comparable<Usage>>().toEqualTypeOf<Comparable<usage.Usage>>()
    expectTypeOf<Comparable<BillingPlan>>().toEqualTypeOf<Comparable<usage.Plan>>()
    expectTypeOf<Comparable<Invoice>>().toEqualTypeOf<Comparable<usage.Invoice>>()
  })

  it('for errors', () => {
    type OwnCode = 'network_error' | 'invalid_response' | 'execution_failed' | 'execution_cancelled' | 'wait_timeout'
    expectTypeOf<KnownErrorCode>().toEqualTypeOf<ErrorCode | OwnCode>()
    expectTypeOf<string>().toExtend<ServiceRuntimeError['code']>()
  })

  it('for requests', () => {
    expectTypeOf<Comparable<ProgramArtifact>>().toEqualTypeOf<Comparable<models.Artifact>>()
    expectTypeOf<Comparable<ProgramManifest>>().toEqualTypeOf<Comparable<models.Manifest>>()
    expectTypeOf<Comparable<ProjectDescription>>().toEqualTypeOf<Comparable<models.NewProject>>()
    expectTypeOf<BulkRequest['action']>().toEqualTypeOf<inspection.NewBulk['action']>()
    expectTypeOf<Role>().toEqualTypeOf<access.NewToken['role']>()
    expectTypeOf<NewTrigger>().toExtend<triggers.NewTrigger>()
    expectTypeOf<keyof EnvironmentChange>().toEqualTypeOf<keyof access.EnvironmentChange>()
    expectTypeOf<keyof ExecutionFilter>().toEqualTypeOf<keyof inspection.BulkFilter>()
  })
})
