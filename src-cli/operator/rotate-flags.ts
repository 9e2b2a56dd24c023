// `wes env rotate`, which whoever runs the service calls after a new key.

import type { Command } from 'commander'
import type { ClientFlags } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { databasePlaceOf, type DatabaseFlags, withDatabaseFlags } from './operator-flags.ts'

export const addRotate = (env: Command, terminal: Terminal): void => {
  withDatabaseFlags(env.command('rotate'))
    .summary('seal all secrets of the service under the first key of WES_SECRET_KEY')
    .description(
      'Seal all secrets of all workspaces under the first key of WES_SECRET_KEY; with --data-dir and without that variable, of the file secret-key in the folder. Without both options it works on the database of WES_DATABASE_URL. To change the key, append the new one and restart every process of the service; put it first and restart them again; run this; remove the old one.',
    )
    .option('--json', 'print the result as JSON')
    .action(async (_flags: unknown, command: Command) => {
      const flags = command.optsWithGlobals<DatabaseFlags & ClientFlags>()
      const place = databasePlaceOf(flags, process.env)
      const { rotate } = await import('./operator-commands.ts')
      await rotate(place, flags, process.env['WES_SECRET_KEY'], terminal)
    })
}
