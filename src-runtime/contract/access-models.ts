// The shapes of the hosted API that say who may do what: workspaces, tokens, and the environment of effects.

import { Type, type Static } from 'typebox'
import { NUL_FREE_PATTERN, TEXT_PATTERN } from '../shared/patterns.ts'
import { givenTime, listOf, oneOf, time } from './models.ts'
import { roles } from './operation-spec.ts'

const Role = oneOf(roles, {
  title: 'Role',
  description:
    '`read`; `write`, which also deploys, starts, sends and changes Triggers; `admin`, which does everything.',
})

const tokenMembers = {
  id: Type.String(),
  name: Type.String(),
  role: Role,
  createdAt: time('When it was created.'),
  expiresAt: Type.Optional(time('From when on it is refused.')),
}

export const Token = Type.Object(
  { ...tokenMembers, lastUsedAt: Type.Optional(time('When it was last used, to the minute; not before `createdAt`.')) },
  { title: 'Token' },
)

export const CreatedToken = Type.Object(
  { ...tokenMembers, secret: Type.String({ description: 'The bearer token. Shown in this answer alone.' }) },
  { title: 'CreatedToken' },
)

const name = Type.String({
  minLength: 1,
  maxLength: 80,
  documented: { pattern: TEXT_PATTERN },
  description: 'Not blank, without control characters.',
})

export const NewToken = Type.Object(
  { name, role: Role, expiresAt: Type.Optional(givenTime('When it ends; to come.')) },
  { title: 'TokenRequest' },
)

export const WhoAmI = Type.Object(
  {
    workspace: Type.Object({ id: Type.String(), name: Type.String() }),
    token: Type.Object(tokenMembers),
    defaultProjectId: Type.String(),
  },
  { title: 'WhoAmI' },
)

const count = (description: string) => Type.Integer({ minimum: 1, description })

export const Limits = Type.Object(
  {
    requestsPerSecond: count('Of each token, in each API process. Beyond, 429 `rate_limited`.'),
    requestBurst: count('How many may come at once.'),
    hooksPerSecond: count('Calls of each webhook Trigger, in each ingress process. Beyond, 429 `rate_limited`.'),
    hookBurst: count('How many may come at once.'),
    storedBytes: count('Beyond, starts and deploys are 429 `quota_exceeded`.'),
    turnsAtOnce: count('In each worker process. Further ones wait.'),
    effectsAtOnce: count('In each worker process. Further ones wait.'),
    retentionDays: count('Executions that ended so many days ago are removed.'),
  },
  { title: 'Limits' },
)

export const Workspace = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    createdAt: time('When it was created.'),
    defaultProjectId: Type.String(),
    limits: Limits,
  },
  { title: 'Workspace' },
)

export const WorkspaceChange = Type.Object({ name }, { title: 'WorkspaceChange' })

export const EnvironmentVariable = Type.Object(
  {
    name: Type.String(),
    createdAt: time('When it was first set.'),
    updatedAt: time('When it was last set.'),
  },
  { title: 'EnvironmentVariable', description: 'A value is never shown.' },
)

/** What effects may not be given: it would change how their process runs. */
export const ENVIRONMENT_NAME_PATTERN = '^(?!NODE_|LD_|DYLD_|WES_|PATH$)[A-Za-z_][A-Za-z0-9_]{0,127}$'
export const ENVIRONMENT_VALUE_LIMIT_BYTES = 32 * 1024
export const ENVIRONMENT_LIMIT = 200
/** Of all values of a project. */
export const ENVIRONMENT_LIMIT_BYTES = 1024 * 1024

const VALUE = { pattern: NUL_FREE_PATTERN, maxLength: ENVIRONMENT_VALUE_LIMIT_BYTES }

export const EnvironmentChange = Type.Object(
  {
    set: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.String({ documented: VALUE }), {
        documented: { propertyNames: { pattern: ENVIRONMENT_NAME_PATTERN }, maxProperties: ENVIRONMENT_LIMIT },
        description: `Values by name. A name matches \`${ENVIRONMENT_NAME_PATTERN}\`; a value has 32 KiB at most, all of a project 1 MiB.`,
      }),
    ),
    remove: Type.Optional(Type.Array(Type.String(), { description: 'Names. One that is not set is no error.' })),
  },
  { title: 'EnvironmentChange' },
)

export const TokenList = listOf(Token, 'TokenList')
export const EnvironmentList = listOf(EnvironmentVariable, 'EnvironmentList')

export type Token = Static<typeof Token>
export type CreatedToken = Static<typeof CreatedToken>
export type NewToken = Static<typeof NewToken>
export type WhoAmI = Static<typeof WhoAmI>
export type Limits = Static<typeof Limits>
export type Workspace = Static<typeof Workspace>
export type WorkspaceChange = Static<typeof WorkspaceChange>
export type EnvironmentVariable = Static<typeof EnvironmentVariable>
export type EnvironmentChange = Static<typeof EnvironmentChange>
