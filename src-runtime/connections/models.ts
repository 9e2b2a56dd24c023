// Saved connections to hosted services: what is stored of them, and what a page sends and gets. Schemas of JSON only: the
// page imports their types.

import { Type, type Static } from 'typebox'
import type { WhoAmI as WhoAmISchema } from '../contract/access-models.ts'

/** At this number, one must be removed before another can be saved. */
export const MOST_CONNECTIONS = 50
export const NAME_LIMIT = 60
const ADDRESS_LIMIT = 2_000
const TOKEN_LIMIT = 4_096

export const colours = ['violet', 'blue', 'teal', 'green', 'orange', 'pink'] as const
const Colour = Type.Enum([...colours])

const id = Type.String({ pattern: '^[a-z0-9-]{1,40}$' })
/** Further rules are in `name-rules.ts`. */
const name = Type.String({ minLength: 1, maxLength: NAME_LIMIT * 2 })
/** Further rules are in `service-address.ts`. */
const address = Type.String({ minLength: 1, maxLength: ADDRESS_LIMIT })
/** Anything else could not be sent in a header. */
const token = Type.String({ minLength: 1, maxLength: TOKEN_LIMIT, pattern: '^[\\x21-\\x7e]+$' })
const keep = Type.Enum(['stored', 'run'])

const members = { name, colour: Colour, isProduction: Type.Boolean() }

export const SavedConnection = Type.Object({ id, address, ...members })

export const NewConnection = Type.Object({ address, ...members, token, keep }, { additionalProperties: false })

export const ConnectionChange = Type.Partial(Type.Object(members), { additionalProperties: false, minProperties: 1 })

export const NewToken = Type.Object({ token, keep }, { additionalProperties: false })

/** The values of a dialog, or a saved connection, with another token if one is given. */
export const ConnectionTest = Type.Union([
  Type.Object({ address, token }, { additionalProperties: false }),
  Type.Object({ id, token: Type.Optional(token) }, { additionalProperties: false }),
])

export type ConnectionColour = (typeof colours)[number]

/** What is stored of a connection; never its token. */
export type SavedConnection = Readonly<Static<typeof SavedConnection>>

export type NewConnection = Readonly<Static<typeof NewConnection>>
export type ConnectionChange = Readonly<Static<typeof ConnectionChange>>
export type NewToken = Readonly<Static<typeof NewToken>>
export type ConnectionTest = Readonly<Static<typeof ConnectionTest>>

/** Whether a token is to outlive this run. */
export type Keep = NewToken['keep']

/**
 * Where a token is: in the operating system's keychain; stored but only obfuscated, as the user agreed (Linux without a
 * keychain); in memory for this run; nowhere, since it was kept for an earlier run.
 */
export type TokenPlace = 'keychain' | 'obfuscated' | 'run' | 'none'

/** What storing a token means here. */
export type Storing = 'keychain' | 'obfuscated' | 'none'

export type ConnectionView = SavedConnection & { readonly token: TokenPlace }

export type ConnectionList = { readonly items: readonly ConnectionView[]; readonly storing: Storing }

/** What a test found: whose token it is, and the project that its requests use by default. */
export type ConnectionTestResult = {
  readonly whoAmI: Static<typeof WhoAmISchema>
  readonly project: { readonly id: string; readonly name: string }
}
