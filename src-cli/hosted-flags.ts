// The commands for what only the hosted service has.

import type { Command } from 'commander'
import { type OnService, repeatedChoice, withClientFlags, withPageFlags } from './flags.ts'
import type { UsageFlags } from './hosted-commands.ts'
import type { PageFlags } from './list-commands.ts'
import type { ClientFlags } from './session.ts'
import type { Terminal } from './terminal.ts'
import { addTokens } from './operator/token-flags.ts'
import { addRotate } from './operator/rotate-flags.ts'
import { addWorkspaces } from './operator/workspace-flags.ts'
import { addTriggers } from './trigger-flags.ts'

export const addHostedCommands = (program: Command, onService: OnService, terminal: Terminal): void => {
  addTokens(program, onService, terminal)
  addRotate(addEnvironment(program, onService), terminal)
  addTriggers(program, onService)
  addUsage(program, onService)
  addBilling(program, onService)
  addWorkspaces(program, terminal)
}

/** Answers the command `env`. */
const addEnvironment = (program: Command, onService: OnService): Command => {
  const env = withClientFlags(program.command('env'))
    .summary('list, set and remove the environment variables of a project’s effects')
    .action(
      onService(async (session, _args, flags: ClientFlags) => {
        const { environment } = await import('./hosted-commands.ts')
        await environment(session, flags)
      }),
    )
  withClientFlags(env.command('list'))
    .summary('list names and times; values are never shown')
    .action(
      onService(async (session, _args, flags: ClientFlags) => {
        const { environment } = await import('./hosted-commands.ts')
        await environment(session, flags)
      }),
    )
  withClientFlags(env.command('set'))
    .summary('set values')
    .description(
      'Set values. A NAME without a value takes it from standard input, which keeps it out of the process list.',
    )
    .argument('[NAME=VALUE...]', 'names and values')
    .option('--file <FILE>', 'also sets all that this .env file has')
    .action(
      onService(async (session, [given]: [string[]], flags: ClientFlags & { readonly file?: string }) => {
        const { setEnvironment } = await import('./hosted-commands.ts')
        await setEnvironment(session, given, flags)
      }),
    )
  withClientFlags(env.command('remove'))
    .alias('rm')
    .summary('remove values')
    .argument('<NAME...>', 'names')
    .action(
      onService(async (session, [names]: [string[]], flags: ClientFlags) => {
        const { removeEnvironment } = await import('./hosted-commands.ts')
        await removeEnvironment(session, names, flags)
      }),
    )
  return env
}

const addUsage = (program: Command, onService: OnService): void => {
  withClientFlags(program.command('usage'))
    .summary('show what the workspace used')
    .option('--from <DAY>', 'the first day in UTC, such as 2026-01-31 (default: the first of the month)')
    .option('--to <DAY>', 'the last day (default: today)')
    .addOption(repeatedChoice('--group-by <WHAT>', 'a line for each; may be repeated (default: day)', GROUPINGS))
    .action(
      onService(async (session, _args, flags: ClientFlags & UsageFlags) => {
        const { usage } = await import('./hosted-commands.ts')
        await usage(session, flags)
      }),
    )
}

const addBilling = (program: Command, onService: OnService): void => {
  const billing = withClientFlags(program.command('billing'))
    .summary('show what this month costs so far, the plan, or the months that ended')
    .action(
      onService(async (session) => {
        const { billing } = await import('./billing-commands.ts')
        await billing(session)
      }),
    )
  withClientFlags(billing.command('plan'))
    .summary('show what a month includes, and the prices beyond')
    .action(
      onService(async (session) => {
        const { plan } = await import('./billing-commands.ts')
        await plan(session)
      }),
    )
  withPageFlags(withClientFlags(billing.command('invoices')))
    .summary('list the months that ended, newest first')
    .action(
      onService(async (session, _args, flags: ClientFlags & PageFlags) => {
        const { invoices } = await import('./billing-commands.ts')
        await invoices(session, flags)
      }),
    )
}

const GROUPINGS = ['day', 'project', 'program']
