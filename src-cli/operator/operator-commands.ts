// Commands that work on a service's database itself. What they print is what the same command prints through the API.

import { faultOf, type Fault } from '#hosted/operator/fault-of.ts'
import { onOperatedStore, type Place } from '#hosted/operator/open-operated-store.ts'
import { operateTokens, type OperatedTokens } from '#hosted/operator/operate-tokens.ts'
import { rotateKeys } from '#hosted/operator/rotate-keys.ts'
import type { HostedStore } from '#hosted/store/store.ts'
import { databaseHint } from '../database-url.ts'
import { CommandFailure } from '../failures.ts'
import type { TokenSession } from '../hosted-commands.ts'
import type { ClientFlags } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { printable } from '../text.ts'
import { openDatabaseSession, pageRequestOf } from './database-session.ts'
import type { OperatorFlags } from './operator-flags.ts'

const FIRST_WORKSPACE = 'default'

export const onDatabase = (
  place: Place,
  flags: OperatorFlags & ClientFlags,
  terminal: Terminal,
  act: (session: TokenSession) => Promise<void>,
): Promise<void> =>
  onStore(place, async (store) => {
    const tokens = operateTokens(store, flags.workspace ?? FIRST_WORKSPACE, ({ id, name }, isNew) => {
      // A name may have been a mistake, and any workspace may have taken it.
      if (flags.json === true || flags.workspace === undefined || flags.workspace === id) return
      terminal.err(`${isNew ? 'Made' : 'For the existing'} workspace ${printable(name)} (${id}).\n`)
    })
    await act(tokenSession(tokens, flags, terminal))
  })

const tokenSession = (tokens: OperatedTokens, flags: ClientFlags, terminal: Terminal): TokenSession => {
  const session = openDatabaseSession(flags, terminal)
  const { read } = session
  return {
    ...session,
    client: {
      listTokens: async (page = {}) => read(await tokens.list(pageRequestOf(page))),
      createToken: async ({ name, role, expiresAt }) =>
        read(
          await tokens.create({
            ...{ name, role },
            ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).getTime() }),
          }),
        ),
      revokeToken: (id) => tokens.revoke(id),
    },
  }
}

export const rotate = (
  place: Place,
  flags: { readonly json?: true },
  keys: string | undefined,
  terminal: Terminal,
): Promise<void> =>
  withFaults(async () => {
    const rotated = await rotateKeys(place, keys)
    const { sealed, keyId } = rotated
    const text =
      flags.json === true
        ? JSON.stringify(rotated)
        : `sealed ${sealed} ${sealed === 1 ? 'secret' : 'secrets'} anew; all have key ${keyId}`
    await terminal.out(`${text}\n`)
  })

export const onStore = (place: Place, act: (store: HostedStore) => Promise<void>): Promise<void> =>
  withFaults(() => onOperatedStore(place, act))

const withFaults = async (act: () => Promise<void>): Promise<void> => {
  try {
    await act()
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    const hint = hintFor(fault)
    throw new CommandFailure(fault.code, fault.message, {
      showsCode: true,
      ...(hint !== undefined && { hint }),
      json: `${JSON.stringify({ error: fault })}\n`,
    })
  }
}

const hintFor = ({ code, message }: Fault): string | undefined => {
  switch (code) {
    case 'no_service_data':
      return '`wes serve --data-dir DIR` makes one.'
    case 'data_directory_in_use':
      return 'Wait until that process is ready or has ended, and try again.'
    case 'workspace_not_found':
      return '`wes workspaces` lists the workspaces; `wes tokens create --workspace NAME` makes one.'
    case 'workspace_removed':
      return '`wes workspaces remove` finishes that; then the name is free.'
    case 'secret_key':
      return 'WES_SECRET_KEY, or the file secret-key of the data folder, needs the new key first and the old ones after it, comma-separated.'
    case 'unavailable':
      return databaseHint(message)
    default:
      return undefined
  }
}
