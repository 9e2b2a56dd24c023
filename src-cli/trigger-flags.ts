// The flags of `wes triggers`.

import type { Command } from 'commander'
import { type OnService, withClientFlags } from './flags.ts'
import type { ClientFlags } from './session.ts'
import type { ScheduleFlags, WebhookFlags } from './trigger-commands.ts'

export const addTriggers = (program: Command, onService: OnService): void => {
  const triggers = withClientFlags(program.command('triggers'))
    .summary('list, add, change and fire Triggers: the webhooks and schedules that start Executions')
    .action(
      onService(async (session, _args, flags: ClientFlags) => {
        const { triggers } = await import('./trigger-commands.ts')
        await triggers(session, flags)
      }),
    )
  withClientFlags(triggers.command('list'))
    .summary('list Triggers')
    .option('--program-id <ID>', 'only those of this Program')
    .action(
      onService(async (session, _args, flags: ClientFlags & { readonly programId?: string }) => {
        const { triggers } = await import('./trigger-commands.ts')
        await triggers(session, flags)
      }),
    )
  const adding = triggers.command('add').summary('add a webhook or a schedule').helpCommand(false)
  addWebhook(adding, onService)
  addSchedule(adding, onService)
  for (const enabled of [true, false]) {
    withClientFlags(triggers.command(enabled ? 'enable' : 'disable'))
      .summary(enabled ? 'let Triggers fire again' : 'keep Triggers from firing automatically')
      .argument('<ID...>', 'ids of Triggers, trg_…')
      .action(
        onService(async (session, [ids]: [string[]], flags: ClientFlags) => {
          const { setTriggersEnabled } = await import('./trigger-commands.ts')
          await setTriggersEnabled(session, ids, enabled, flags)
        }),
      )
  }
  withClientFlags(triggers.command('remove'))
    .alias('rm')
    .summary('remove Triggers; the address of a webhook is never used again')
    .argument('<ID...>', 'ids of Triggers, trg_…')
    .action(
      onService(async (session, [ids]: [string[]], flags: ClientFlags) => {
        const { removeTriggers } = await import('./trigger-commands.ts')
        await removeTriggers(session, ids, flags)
      }),
    )
  withClientFlags(triggers.command('replace'))
    .summary('replace all Triggers of the project')
    .description(
      'Replace all Triggers of the project by a list, or by { "triggers": list }, as `wes triggers list --json` prints it. One with an id is kept; one that is not in the list is removed. A webhook takes a `secret`: "generate" makes a signing secret, which is printed once; "whsec_…" is one that its sender made.',
    )
    .argument('<JSON>', 'the list: JSON, @FILE, or - for standard input')
    .action(
      onService(async (session, [list]: [string], flags: ClientFlags) => {
        const { replaceTriggers } = await import('./trigger-commands.ts')
        await replaceTriggers(session, list, flags)
      }),
    )
  withClientFlags(triggers.command('fire'))
    .summary('fire a Trigger now, and print the Execution’s id')
    .argument('<ID>', 'the Trigger’s id, trg_…')
    .option('--input <JSON>', 'instead of its own: JSON, @FILE, or - for standard input')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & { readonly input?: string }) => {
        const { fireTrigger } = await import('./trigger-commands.ts')
        await fireTrigger(session, id, flags)
      }),
    )
}

const addWebhook = (adding: Command, onService: OnService): void => {
  withCommonFlags(adding.command('webhook'))
    .summary('add a webhook and print its address; each POST to it starts an Execution')
    .argument('<PROGRAM>', 'the Program’s id')
    .option(
      '--signed',
      'generate a signing secret, printed once; calls must be signed as Standard Webhooks describes (where the sender made the secret, use `wes triggers replace` or the dashboard)',
    )
    .action(
      onService(async (session, [programId]: [string], flags: WebhookFlags) => {
        const { addWebhook } = await import('./trigger-commands.ts')
        await addWebhook(session, programId, flags)
      }),
    )
}

const addSchedule = (adding: Command, onService: OnService): void => {
  withCommonFlags(adding.command('schedule'))
    .summary('add a schedule; it starts an Execution at each of its times')
    .argument('<PROGRAM>', 'the Program’s id')
    .argument('<CRON>', 'five fields such as "0 9 * * MON-FRI", or six with seconds in front')
    .option('--timezone <ZONE>', 'an IANA time zone such as Europe/Berlin (default: UTC)')
    .option('--input <JSON>', 'the input of its Executions: JSON, @FILE, or - for standard input')
    .action(
      onService(async (session, [programId, cron]: [string, string], flags: ScheduleFlags) => {
        const { addSchedule } = await import('./trigger-commands.ts')
        await addSchedule(session, programId, cron, flags)
      }),
    )
}

const withCommonFlags = (command: Command): Command =>
  withClientFlags(command)
    .option('--name <NAME>', 'a name, at most 80 characters')
    .option('--disabled', 'do not let it fire yet')
