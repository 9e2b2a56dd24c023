// The interface between a home and its tests.

import type { Home } from '../contract/operation-spec.ts'

export type ProgramWithEffects = {
  readonly id: string
  /** The body of an asynchronous function of `ctx` and `input`, which calls effects as `ctx.effect(effects.NAME, …)`. */
  readonly body: string
  /** Functions by name, as source. */
  readonly effects: Readonly<Record<string, string>>
}

/** A running service with an empty workspace. */
export type Service = {
  /** The API's address without `/v1`. May change with a restart. */
  readonly url: string
  /** The headers of a caller with all permissions in the workspace. */
  readonly headers: Readonly<Record<string, string>>
  /** Kills all processes of the service, like a crash, and starts it again. */
  restart?(): Promise<void>
  /** Deploys to the default project, as users of this home deploy Programs with effects. */
  deployWithEffects?(program: ProgramWithEffects): Promise<void>
  stop(): Promise<void>
}

export type Features = {
  readonly home: Home
  /** Whether uploaded Programs run with their effects. */
  readonly runsUploadedEffects: boolean
}

export type MakeService = () => Promise<Service>
