// The commands for tokens: through the API, or on the database of the service.

import { type Command, Option } from 'commander'
import { UsageError } from '../failures.ts'
import { type OnService, withClientFlags, withPageFlags } from '../flags.ts'
import type { TokenFlags, TokenSession } from '../hosted-commands.ts'
import type { PageFlags } from '../list-commands.ts'
import type { ClientFlags, Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { printable } from '../text.ts'
import { type OperatorFlags, placeOf, withOperatorFlags } from './operator-flags.ts'

export const addTokens = (program: Command, onService: OnService, terminal: Terminal): void => {
  const onTokens = tokenActions(onService, terminal)
  const tokens = withOperatorFlags(withPageFlags(withClientFlags(program.command('tokens'))))
    .summary('list the tokens of the workspace, create one, or revoke one')
    .action(
      onTokens(async (session, _args, flags: ClientFlags & PageFlags) => {
        const { tokens } = await import('../hosted-commands.ts')
        await tokens(session, flags)
      }),
    )
  withOperatorFlags(withPageFlags(withClientFlags(tokens.command('list'))))
    .summary('list tokens, the newest first')
    .action(
      onTokens(async (session, _args, flags: ClientFlags & PageFlags) => {
        const { tokens } = await import('../hosted-commands.ts')
        await tokens(session, flags)
      }),
    )
  withOperatorFlags(withClientFlags(tokens.command('create')))
    .summary('create a token and print it; it is not shown again')
    .description(
      'Create a token and print it; it is not shown again. Whoever runs the service needs no token for it: on its database, it also makes the workspace if there is none of that name.',
    )
    .argument('[NAME]', 'the token’s name, 1–80 characters', 'cli')
    .addOption(new Option('--role <ROLE>', 'what it may do').choices(['read', 'write', 'admin']).default('write'))
    .option('--expires <DURATION>', 'such as 90d or 12h (default: never)')
    .action(
      onTokens(async (session, [name]: [string], flags: ClientFlags & TokenFlags) => {
        const { createToken } = await import('../hosted-commands.ts')
        await createToken(session, name, flags)
      }),
    )
  withOperatorFlags(withClientFlags(tokens.command('revoke')))
    .summary('revoke a token')
    .argument('<ID>', 'the token’s id, tok_…')
    .action(
      onTokens(async (session, [id]: [string]) => {
        const { revokeToken } = await import('../hosted-commands.ts')
        await revokeToken(session, id)
      }),
    )
}

type Act<Args, Flags> = (session: TokenSession, args: Args, flags: Flags) => Promise<void>

const tokenActions =
  (onService: OnService, terminal: Terminal) =>
  <Args extends readonly unknown[], Flags extends ClientFlags>(act: Act<Args, Flags>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const flags = command.optsWithGlobals<Flags & OperatorFlags>()
    const place = placeOf(flags, process.env)
    if (place === undefined) {
      return onService(async (session, args: Args, ofSession: Flags) => {
        if (flags.workspace !== undefined) await mustBeOf(session, flags.workspace)
        await act(session, args, ofSession)
      })(...given)
    }
    const { onDatabase } = await import('./operator-commands.ts')
    await onDatabase(place, flags, terminal, (session) =>
      act(session, command.processedArgs as readonly unknown[] as Args, flags),
    )
  }

/** Through the API, a token reaches its own workspace and no other. */
const mustBeOf = async ({ client }: Session, wanted: string): Promise<void> => {
  const { workspace } = await client.whoAmI()
  if (wanted === workspace.id || wanted === workspace.name) return
  const own = `${printable(workspace.name)} (${workspace.id})`
  throw new UsageError(
    `the token belongs to workspace ${own}, not to ${wanted}; --data-dir or --database-url reach any workspace`,
  )
}
