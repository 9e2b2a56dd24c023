// THE table of what a workspace may use at once, and how long what it used is kept.

import { Type, type Static } from 'typebox'
import { Check, Errors } from 'typebox/schema'

const positive = (most: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: most }))

const ALL = {
  /** Of each token, in each API process; beyond, 429 `rate_limited`. */
  requestsPerSecond: positive(1_000_000),
  requestBurst: positive(1_000_000),
  /** Calls of each webhook Trigger, in each ingress process. */
  hooksPerSecond: positive(1_000_000),
  hookBurst: positive(1_000_000),
  /** Beyond, starts and deploys are 429 `quota_exceeded`. */
  storedBytes: positive(Number.MAX_SAFE_INTEGER),
  /** In each worker process; further ones wait. */
  turnsAtOnce: positive(100_000),
  effectsAtOnce: positive(100_000),
  /** Ended Executions are removed after so many days. */
  retentionDays: positive(36_500),
} as const

export type Limits = { readonly [Name in keyof typeof ALL]: number }

export const defaultLimits: Limits = {
  requestsPerSecond: 1_000,
  requestBurst: 2_000,
  hooksPerSecond: 100,
  hookBurst: 200,
  storedBytes: 10 * 1024 ** 3,
  turnsAtOnce: 16,
  effectsAtOnce: 64,
  retentionDays: 30,
}

const Overrides = Type.Object(ALL, { additionalProperties: false })

/** `default` is for all workspaces, `workspaces` for single ones, by id. */
const LimitsFile = Type.Object(
  { default: Type.Optional(Overrides), workspaces: Type.Optional(Type.Record(Type.String(), Overrides)) },
  { additionalProperties: false },
)

export type LimitsOf = (workspaceId: string) => Limits

/** From the text of a limits file. Throws an Error that says what is wrong with it. */
export const readLimits = (text: string): LimitsOf => {
  const file: unknown = JSON.parse(text)
  if (!Check(LimitsFile, file)) {
    const [fault] = Errors(LimitsFile, file)[1]
    throw new Error(`limits${fault?.instancePath ?? ''} ${fault?.message ?? 'are not of the form that is needed'}`)
  }
  return limitsWith(file)
}

export const limitsWith = ({ default: all = {}, workspaces = {} }: Static<typeof LimitsFile>): LimitsOf => {
  const common = { ...defaultLimits, ...all }
  const known = new Map(Object.entries(workspaces).map(([id, own]) => [id, { ...common, ...own }]))
  return (workspaceId) => known.get(workspaceId) ?? common
}
