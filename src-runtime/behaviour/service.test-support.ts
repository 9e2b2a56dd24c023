// What a home gives to be tested, and what its tests may know of it.

import type { Home } from '../contract/operation-spec.ts'

/** A running service with an empty workspace. */
export type Service = {
  /** Of the API: `/v1` lies below it. May change with a restart. */
  readonly url: string
  /** What identifies a caller who may do everything in the workspace. */
  readonly headers: Readonly<Record<string, string>>
  /** Kills what runs Executions and answers requests, as a crash would, and starts it again. */
  restart?(): Promise<void>
  stop(): Promise<void>
}

export type Features = {
  readonly home: Home
  /** Whether uploaded Programs run with their effects. */
  readonly runsUploadedEffects: boolean
}

export type MakeService = () => Promise<Service>
