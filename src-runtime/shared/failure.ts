import type { Cause } from './error-cause.ts'

/** An Execution failed, or an attempt of one of its effects. */
export type Failure = {
  readonly executionId: string
  readonly programId: string
  readonly versionNumber: number
  readonly effect?: { readonly name: string; readonly isRetried: boolean }
  readonly error: Cause & { readonly code: string }
}
