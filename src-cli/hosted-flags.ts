// The commands for what only the hosted service has.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { type OnService, withClientFlags, withPageFlags } from './flags.ts'
import type { TokenFlags, UsageFlags } from './hosted-commands.ts'
import type { PageFlags } from './list-commands.ts'
import type { ClientFlags } from './session.ts'

export const addHostedCommands = (program: Command, onService: OnService): void => {
  addTokens(program, onService)
  addEnvironment(program, onService)
  addTriggers(program, onService)
  addUsage(program, onService)
}

const addTokens = (program: Command, onService: OnService): void => {
  const tokens = withPageFlags(withClientFlags(program.command('tokens')))
    .summary('list the tokens of the workspace, create one, or revoke one')
    .action(
      onService<ClientFlags & PageFlags>(async (session, _args, flags) => {
        const { tokens } = await import('./hosted-commands.ts')
        await tokens(session, flags)
      }),
    )
  withPageFlags(withClientFlags(tokens.command('list')))
    .summary('list tokens, the newest first')
    .action(
      onService<ClientFlags & PageFlags>(async (session, _args, flags) => {
        const { tokens } = await import('./hosted-commands.ts')
        await tokens(session, flags)
      }),
    )
  withClientFlags(tokens.command('create'))
    .summary('create a token and print it; it is not shown again')
    .argument('[NAME]', '1–80 characters', 'cli')
    .addOption(new Option('--role <ROLE>', 'what it may do').choices(['read', 'write', 'admin']).default('write'))
    .option('--expires <DURATION>', 'such as 90d or 12h (default: never)')
    .action(
      onService<ClientFlags & TokenFlags>(async (session, [name = ''], flags) => {
        const { createToken } = await import('./hosted-commands.ts')
        await createToken(session, name, flags)
      }),
    )
  withClientFlags(tokens.command('revoke'))
    .summary('revoke a token')
    .argument('<ID>', 'the token’s id, tok_…')
    .action(
      onService(async (session, [id = '']) => {
        const { revokeToken } = await import('./hosted-commands.ts')
        await revokeToken(session, id)
      }),
    )
}

const addEnvironment = (program: Command, onService: OnService): void => {
  const env = withClientFlags(program.command('env'))
    .summary('list what the effects of a project are given, set it, or remove it')
    .action(
      onService<ClientFlags>(async (session, _args, flags) => {
        const { environment } = await import('./hosted-commands.ts')
        await environment(session, flags)
      }),
    )
  withClientFlags(env.command('list'))
    .summary('list names and times; values are never shown')
    .action(
      onService<ClientFlags>(async (session, _args, flags) => {
        const { environment } = await import('./hosted-commands.ts')
        await environment(session, flags)
      }),
    )
  withClientFlags(env.command('set'))
    .summary('set values')
    .description(
      'Sets values. A NAME without a value takes it from standard input, which keeps it out of the process list.',
    )
    .argument('<NAME=VALUE...>', 'names and values')
    .action(
      onService<ClientFlags>(async (session, [given], flags) => {
        const { setEnvironment } = await import('./hosted-commands.ts')
        await setEnvironment(session, given as unknown as string[], flags)
      }),
    )
  withClientFlags(env.command('remove'))
    .summary('remove values')
    .argument('<NAME...>', 'names')
    .action(
      onService<ClientFlags>(async (session, [names], flags) => {
        const { removeEnvironment } = await import('./hosted-commands.ts')
        await removeEnvironment(session, names as unknown as string[], flags)
      }),
    )
}

const addTriggers = (program: Command, onService: OnService): void => {
  const triggers = withClientFlags(program.command('triggers'))
    .summary('list the Triggers of a project, replace them, or fire one')
    .action(
      onService<ClientFlags>(async (session, _args, flags) => {
        const { triggers } = await import('./hosted-commands.ts')
        await triggers(session, flags)
      }),
    )
  withClientFlags(triggers.command('list'))
    .summary('list Triggers')
    .option('--program-id <ID>', 'only those of this Program')
    .action(
      onService<ClientFlags & { readonly programId?: string }>(async (session, _args, flags) => {
        const { triggers } = await import('./hosted-commands.ts')
        await triggers(session, flags)
      }),
    )
  withClientFlags(triggers.command('replace'))
    .summary('replace all Triggers of the project')
    .description(
      'Replaces all Triggers of the project by a list, or by { "triggers": list }, as `wes triggers list --json` prints it. One with an id is kept; one that is not in the list is removed. Prints signing secrets that it generated.',
    )
    .argument('<JSON>', 'the list: JSON, @FILE, or - for standard input')
    .action(
      onService<ClientFlags>(async (session, [list = ''], flags) => {
        const { replaceTriggers } = await import('./hosted-commands.ts')
        await replaceTriggers(session, list, flags)
      }),
    )
  withClientFlags(triggers.command('fire'))
    .summary('fire a Trigger now, and print the Execution’s id')
    .argument('<ID>', 'the Trigger’s id, trg_…')
    .option('--input <JSON>', 'instead of its own: JSON, @FILE, or - for standard input')
    .action(
      onService<ClientFlags & { readonly input?: string }>(async (session, [id = ''], flags) => {
        const { fireTrigger } = await import('./hosted-commands.ts')
        await fireTrigger(session, id, flags)
      }),
    )
}

const addUsage = (program: Command, onService: OnService): void => {
  withClientFlags(program.command('usage'))
    .summary('show what the workspace used')
    .option('--from <DAY>', 'the first day in UTC, such as 2026-01-31 (default: the first of the month)')
    .option('--to <DAY>', 'the last day (default: today)')
    .addOption(
      new Option('--group-by <WHAT>', 'a line for each; may be repeated (default: day)').argParser(
        (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), oneOfGroupings(value)],
      ),
    )
    .action(
      onService<ClientFlags & UsageFlags>(async (session, _args, flags) => {
        const { usage } = await import('./hosted-commands.ts')
        await usage(session, flags)
      }),
    )
}

const GROUPINGS = ['day', 'project', 'program']

const oneOfGroupings = (value: string): string => {
  if (!GROUPINGS.includes(value)) throw new InvalidArgumentError(`It must be one of ${GROUPINGS.join(', ')}.`)
  return value
}
