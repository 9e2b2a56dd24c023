export type { AsJson, NotJson, Sendable } from './as-json.ts'
export { HOSTED_BASE_URL, LOCAL_BASE_URL } from './address.ts'
export type * from './contract-types.ts'
export { createClient, executionHandle } from './create-client.ts'
export type {
  ClientOptions,
  RunArguments,
  RunOptions,
  ServiceClient,
  StartArguments,
  StartOptions,
} from './create-client.ts'
export { defineEffect } from './define-effect.ts'
export type {
  Duration,
  EffectContext,
  EffectDefinition,
  EffectFunction,
  EffectOptions,
  InputArgument,
  Log,
  RetryOptions,
} from './define-effect.ts'
export { defineEvent } from './define-event.ts'
export type { EventDefinition } from './define-event.ts'
export { defineProgram } from './define-program.ts'
export type {
  EffectCallOptions,
  ProgramContext,
  ProgramDefinition,
  ProgramFunction,
  ProgramOptions,
  WaitForEventOptions,
} from './define-program.ts'
export type { EventReference, ProgramReference, ResultOf } from './definitions.ts'
export { CancelledError, EffectError, NonRetryableError, TimeoutError } from './errors-for-authors.ts'
export type { AuthorErrorOptions } from './errors-for-authors.ts'
export type { ExecutionHandle, PayloadArgument, SendOptions } from './execution-handle.ts'
export type { HostedMethods } from './hosted-methods.ts'
export type * from './hosted-types.ts'
export type * from './inspection-types.ts'
export type { InspectionMethods } from './inspection-methods.ts'
export type { Accepted, PlainJsonSchema, Schema, StandardSchema } from './schema.ts'
export { ServiceRuntimeError } from './service-runtime-error.ts'
export type { KnownErrorCode } from './service-runtime-error.ts'
export type { ChangeMessage, ChangesOptions } from './stream-changes.ts'
export type { CallOptions } from './transport.ts'
export type { WaitOptions } from './wait-for-result.ts'
export type { FetchFunction, FetchInit, FetchResponse, WebAbortSignal } from './web-platform.ts'
