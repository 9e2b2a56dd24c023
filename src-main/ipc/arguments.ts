// Checks what the page sends on each channel, because a compromised page may send anything.

import { Type, type Static, type TSchema } from 'typebox'
import { Port, SettingsPatch } from '../settings/settings.ts'
import type { Channel, Channels } from './channels.ts'

const NOTHING = Type.Tuple([])
const Path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000-\\u001f]+$' })
const Place = Type.Object(
  { path: Path, line: Type.Integer({ minimum: 1 }), column: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
)

const PageError = Type.Object(
  { where: Type.String({ maxLength: 8_000 }), text: Type.String({ maxLength: 8_000 }) },
  { additionalProperties: false },
)

/** As in the page's address, so it may be of none that is saved. */
const ConnectionId = Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f/]+$' })

export const ARGUMENTS = {
  about: NOTHING,
  'runtime-state': NOTHING,
  'start-runtime': NOTHING,
  'stop-runtime': NOTHING,
  'restart-runtime': NOTHING,
  'use-port': Type.Tuple([Port]),
  'project-folders': NOTHING,
  'choose-project': NOTHING,
  'open-project': Type.Tuple([Path]),
  'open-sample': NOTHING,
  'trusted-folders': NOTHING,
  'remove-trusted-folder': Type.Tuple([Path]),
  settings: NOTHING,
  'change-settings': Type.Tuple([SettingsPatch]),
  updates: NOTHING,
  'check-for-updates': NOTHING,
  'download-update': NOTHING,
  'cancel-update-download': NOTHING,
  'restart-to-update': NOTHING,
  'reveal-data': NOTHING,
  'back-up-data': NOTHING,
  'reset-data': Type.Tuple([Type.Union([Type.Literal('executions'), Type.Literal('everything')])]),
  'reveal-logs': NOTHING,
  'page-error': Type.Tuple([PageError]),
  'open-in-editor': Type.Tuple([Place]),
  diagnostics: NOTHING,
  'shown-connection': Type.Tuple([ConnectionId]),
} as const satisfies Record<Channel, TSchema>

/** Does not compile if a schema accepts a value that its channel does not take. */
export type CheckedArguments = {
  [Name in Channel]: Static<(typeof ARGUMENTS)[Name]> extends Channels[Name]['arguments']
    ? Channels[Name]['arguments']
    : never
}
