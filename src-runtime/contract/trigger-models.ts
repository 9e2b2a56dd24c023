// The shapes of Triggers, which start Executions when a webhook is called or when a time comes.

import { Type, type Static } from 'typebox'
import { TEXT_PATTERN } from '../shared/patterns.ts'
import { listOf, oneOf, time, triggerTypes } from './models.ts'

export const TRIGGERS_LIMIT = 1_000

export const Trigger = Type.Object(
  {
    id: Type.String(),
    programId: Type.String(),
    projectId: Type.String(),
    type: oneOf(triggerTypes),
    name: Type.Optional(Type.String()),
    enabled: Type.Boolean({ description: 'A disabled Trigger never fires automatically.' }),
    publicId: Type.Optional(
      Type.String({ description: 'Of a webhook: its path on the ingress host. Not shown to the role `read`.' }),
    ),
    url: Type.Optional(
      Type.String({ description: 'Of a webhook: where to send the POST. Not shown to the role `read`.' }),
    ),
    signed: Type.Optional(Type.Boolean({ description: 'Of a webhook: whether calls must be signed.' })),
    secret: Type.Optional(
      Type.String({ description: 'A signing secret that was generated; shown in the answer to that request alone.' }),
    ),
    cron: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String()),
    input: Type.Optional(Type.Unknown({ description: 'Of a schedule: what it starts with. Any JSON value.' })),
    nextFireAt: Type.Optional(time('Of a schedule that is enabled: the next time.')),
    lastFiredAt: Type.Optional(time('When it last fired, automatically or by hand.')),
    lastExecutionId: Type.Optional(Type.String({ description: 'What it started last.' })),
    lastError: Type.Optional(Type.String({ description: 'Why the last automatic firing started nothing.' })),
    createdAt: time('When it was created.'),
    updatedAt: time('When it was last changed.'),
  },
  { title: 'Trigger' },
)

const NewTrigger = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Of a Trigger that is kept; a new one is made when absent.' })),
    programId: Type.String({ minLength: 1 }),
    type: oneOf(triggerTypes),
    name: Type.Optional(Type.String({ maxLength: 80, documented: { pattern: TEXT_PATTERN } })),
    enabled: Type.Optional(Type.Boolean({ description: 'true when absent.' })),
    secret: Type.Optional(
      Type.Union([Type.Literal('generate'), Type.String({ pattern: '^whsec_' }), Type.Null()], {
        description:
          'Of a webhook: generates a new signing secret, sets the one that the sender made, or removes it (null). Stays as it is when absent.',
      }),
    ),
    cron: Type.Optional(Type.String({ description: 'Of a schedule: five fields, or six with seconds in front.' })),
    timezone: Type.Optional(Type.String({ description: 'Of a schedule: an IANA time zone; UTC when absent.' })),
    input: Type.Optional(Type.Unknown({ description: 'Of a schedule: what it starts with. Any JSON value.' })),
  },
  { title: 'TriggerRequest' },
)

const NewTriggerList = Type.Array(NewTrigger, { maxItems: TRIGGERS_LIMIT })

export const NewTriggers = Type.Union([Type.Object({ triggers: NewTriggerList }), NewTriggerList], {
  title: 'TriggersRequest',
  description: 'The whole list: a Trigger whose id is not in it is removed.',
})

export const Firing = Type.Object(
  { input: Type.Optional(Type.Unknown({ description: "Instead of the Trigger's own. Any JSON value." })) },
  { title: 'Firing' },
)

export const FiringReceipt = Type.Object({ executionId: Type.String() }, { title: 'FiringReceipt' })

export const TriggerList = listOf(Trigger, 'TriggerList')

export type Trigger = Static<typeof Trigger>
export type NewTrigger = Static<typeof NewTrigger>
export type NewTriggers = Static<typeof NewTriggers>
export type Firing = Static<typeof Firing>
export type FiringReceipt = Static<typeof FiringReceipt>
