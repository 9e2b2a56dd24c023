// The commands for workspaces, on the database of the service: no token reaches more than one.

import type { Command } from 'commander'
import { withPageFlags, withUnusedClientFlags } from '../flags.ts'
import type { PageFlags } from '../list-commands.ts'
import type { ClientFlags } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { databasePlaceOf, type DatabaseFlags, withDatabaseFlags } from './operator-flags.ts'

const WHERE = 'Without --data-dir and --database-url it works on the database of WES_DATABASE_URL.'

export const addWorkspaces = (program: Command, terminal: Terminal): void => {
  const list = async (_flags: unknown, command: Command): Promise<void> => {
    const flags = command.optsWithGlobals<DatabaseFlags & ClientFlags & PageFlags>()
    const place = databasePlaceOf(flags, process.env)
    const { workspaces } = await import('./workspace-commands.ts')
    await workspaces(place, flags, terminal)
  }
  const workspaces = withListFlags(program.command('workspaces'))
    .summary('list the workspaces of the service, or remove one')
    .description(`List the workspaces of the service, by name. ${WHERE}`)
    .action(list)
  withListFlags(workspaces.command('list'))
    .summary('list workspaces by name: Executions, stored bytes, and when a token was last used')
    .description(
      `List workspaces by name, so that one that was made by a typo stands beside the one that was meant. Each is shown with the Executions and bytes that are stored, and when one of its tokens was last used. ${WHERE}`,
    )
    .action(list)
  withOutputFlags(workspaces.command('remove'))
    .alias('rm')
    .summary('remove a workspace with all that it has')
    .description(
      `Remove a workspace with all that it has: tokens, Triggers, Executions, Programs, usage. Live Executions are removed too, without a clean-up. The command asks for the name first. If it is interrupted, the workspace accepts nothing any more, and the same command finishes. ${WHERE}`,
    )
    .argument('<NAME>', 'its name or id')
    .option('--yes', 'do not ask; necessary where there is no terminal, and with --json')
    .action(async (name: string, _flags: unknown, command: Command) => {
      const flags = command.optsWithGlobals<DatabaseFlags & ClientFlags & { readonly yes?: true }>()
      const place = databasePlaceOf(flags, process.env)
      const { removeWorkspace } = await import('./workspace-commands.ts')
      await removeWorkspace(place, name, flags, terminal)
    })
}

const withOutputFlags = (command: Command): Command =>
  withDatabaseFlags(withUnusedClientFlags(command))
    .optionsGroup('Output:')
    .option('--json', 'print JSON, and errors as JSON')
    .optionsGroup('Options:')

const withListFlags = (command: Command): Command =>
  withPageFlags(
    withOutputFlags(command)
      .optionsGroup('Output:')
      .option('--iso', 'print times as ISO 8601 instead of relative to now')
      .optionsGroup('Options:'),
  )
