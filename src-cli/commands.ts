// The commands, arguments and flags of `wes`. A command's code is loaded only when the command runs, which keeps starts
// fast.

import { Command, InvalidArgumentError, Option } from 'commander'
import {
  isCalled,
  type OnService,
  parsePort,
  parsePositive,
  parseTime,
  repeatedChoice,
  withClientFlags,
  withPageFlags,
  withUnusedClientFlags,
} from './flags.ts'
import { addCompletion } from './completion/completion-flags.ts'
import { addHostedCommands } from './hosted-flags.ts'
import { addServe, LOG_LEVELS } from './serve/serve-flags.ts'
import type { PageFlags } from './list-commands.ts'
import type { RunAgainFlags, SendFlags, StartFlags, WaitFlags } from './execution-commands.ts'
import type { BuildFlags } from './build-command.ts'
import type { DeployFlags } from './deploy-command.ts'
import type { ClientFlags, Session } from './session.ts'
import { FINISHED, UNFINISHED } from './statuses.ts'
import type { Terminal } from './terminal.ts'
import { explainExcess, isGroup, nameUnknownCommands, refuseUnknown } from './unknown-commands.ts'
import type { DevFlags } from './dev/dev.ts'
import { DEFAULT_PORT } from '#runtime/shared/default-port.ts'
import type { HostAhead } from '#runtime/create-runtime.ts'
import type { ExecutionFilter } from '#sdk/index.ts'

export type Outcome = { exitCode: number }

/** How `wes --help` groups commands. */
const HOSTED_ONLY = 'Hosted services only:'

export const createCommands = (options: {
  readonly terminal: Terminal
  /** Holds the exit code once a command has run. */
  readonly outcome: Outcome
  readonly version: string
  readonly onUsageError: (text: string) => void
  /** For the runtime that `wes dev` creates. */
  readonly firstHost: HostAhead | undefined
}): Command => {
  const { terminal, outcome, version, onUsageError, firstHost } = options
  const program = withClientFlags(new Command('wes'))
    .exitOverride()
    .configureOutput({ outputError: onUsageError, writeErr: onUsageError })
    .description('Deploy Programs and run them as durable Executions.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: false, commandDescription: describe, minWidthToWrap: 20 })

  /** Runs `act` with a session for the service that the flags select. */
  const onService =
    <Args extends readonly unknown[], Flags extends ClientFlags>(
      act: (session: Session, args: Args, flags: Flags) => Promise<number | void>,
    ) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.at(-1) as Command
      const flags = command.optsWithGlobals<Flags>()
      const { withSession } = await import('./session.ts')
      const args = command.processedArgs as readonly unknown[] as Args
      outcome.exitCode = (await withSession(flags, terminal, (session) => act(session, args, flags))) ?? 0
    }

  program.commandsGroup('Runtimes and services:')
  addDev(program, terminal, outcome, firstHost)
  // A start of `wes dev` needs no other command.
  if (firstHost !== undefined) {
    explainExcess(program)
    return pointToHelp(program)
  }
  addServe(program, terminal, outcome)
  addLink(program, terminal)
  program.commandsGroup('Programs and Executions:')
  addProjectCommands(program, terminal)
  addExecutionCommands(program, onService)
  addListCommands(program, onService)
  program.commandsGroup(HOSTED_ONLY)
  addHostedCommands(program, onService, terminal)
  program.commandsGroup('More:')
  addCompletion(program, terminal)
  addHelp(program)
  nameUnknownCommands(program)
  explainExcess(program)
  return pointToHelp(program)
}

/** Behind every error of usage, in a command and its own commands. `path`: what leads to it, as it is typed. */
const pointToHelp = (command: Command, path = ''): Command => {
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`)
  const own = path === '' ? 'lists the commands' : 'lists its commands and options'
  const says = isGroup(command) ? own : 'explains the command'
  return command.showHelpAfterError(`\`wes help${path}\` ${says}.`)
}

/** Where the summary says it all, it is the description too. */
const describe = (command: Command): string => {
  const summary = command.summary()
  return command.description() || (summary && `${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
}

/** In place of commander's own, which knows no command of a command. */
const addHelp = (program: Command): void => {
  withUnusedClientFlags(program.command('help'))
    .summary('show help for a command')
    .argument('[COMMAND...]', 'such as `start`, or `triggers add schedule`')
    .addOption(new Option('--json').hideHelp())
    .action((names: readonly string[]) => {
      const chosen = names.reduce<Command>((command, name, index) => {
        const found = command.commands.find((one) => isCalled(one, name))
        return found ?? refuseUnknown(command, names.slice(0, index + 1))
      }, program)
      chosen.help()
    })
}

const addDev = (program: Command, terminal: Terminal, outcome: Outcome, firstHost: HostAhead | undefined): void => {
  program
    .command('dev')
    .summary('run the local runtime')
    .description(
      'Run the local runtime until it is interrupted. It prints `ready http://localhost:PORT` when it accepts requests; logs go to standard error, and so does a link that opens a session in the dashboard.',
    )
    .option('--port <PORT>', 'listen on this port; 0 lets the system choose', parsePort, DEFAULT_PORT)
    .option('--data-dir <DIR>', 'the data directory (default: WES_DATA_DIR, else the user’s data folder)')
    .option('--project <DIR>', 'the project’s folder', '.')
    .option('--no-watch', 'do not watch the project for changes')
    .option('--no-effects', 'do not run effects; Executions that call one wait')
    .option('--token', 'require a token from every caller: WES_DEV_TOKEN, or a new one that is printed')
    .option('--verbose', 'the same as --log-level info')
    .addOption(
      new Option('--log-level <LEVEL>', 'the lowest level to log (default: warn)')
        .choices(LOG_LEVELS)
        .conflicts('verbose'),
    )
    .action(async (flags: DevFlags) => {
      const { dev } = await import('./dev/dev.ts')
      outcome.exitCode = await dev(flags, terminal, firstHost)
    })
}

const addLink = (program: Command, terminal: Terminal): void => {
  program
    .command('link')
    .summary('print a link to the dashboard')
    .description(
      'Print a link to the dashboard of the local runtime, which opens a session in one browser, once, within 10 minutes. Connections to hosted services need a session; if the runtime requires a token, everything does.',
    )
    .option('--data-dir <DIR>', 'the runtime’s data directory (default: WES_DATA_DIR, else the user’s data folder)')
    .action(async (flags: { readonly dataDir?: string }) => {
      const { link } = await import('./dev/link.ts')
      await link(flags, terminal)
    })
}

const addProjectCommands = (program: Command, terminal: Terminal): void => {
  withUnusedClientFlags(program.command('new'))
    .summary('create a project')
    .description('Create a project with a Program, an effect, an event and a test, in a new or empty folder.')
    .argument('[DIR]', 'the folder', '.')
    .option('--json', 'print the result as JSON')
    .action(async (folder: string, flags: { readonly json?: true }) => {
      const { newProject } = await import('./new/new-project.ts')
      await newProject(folder, terminal, flags)
    })

  withUnusedClientFlags(program.command('build'))
    .summary('compile the Programs of a project')
    .description('Compile the Programs of a project into artifacts, <id>.program.json, for `wes deploy`.')
    .option('--project <DIR>', 'the project’s folder', '.')
    .option('--out <DIR>', 'the folder for the artifacts (default: dist in the project)')
    .option('--json', 'print the result as JSON')
    .action(async (_flags: unknown, command: Command) => {
      const { build } = await import('./build-command.ts')
      await build(command.optsWithGlobals<BuildFlags>(), terminal)
    })
}

const addExecutionCommands = (program: Command, onService: OnService): void => {
  withClientFlags(program.command('deploy'))
    .summary('upload compiled Programs')
    .description(
      'Upload compiled Programs. Without FILE, compile and upload the Programs of the project in this folder, or upload every *.program.json if there is no project.',
    )
    .argument('[FILE...]', 'the artifacts; - for standard input')
    .option('--project <DIR>', 'compile and upload the Programs of this project')
    .action(
      onService(async (session, [files]: [string[]], flags: DeployFlags) => {
        const { deploy } = await import('./deploy-command.ts')
        await deploy(session, files, flags)
      }),
    )

  withWaitFlags(withClientFlags(program.command('start')))
    .summary('start an Execution')
    .description('Start an Execution of a Program and print its id.')
    .argument('<PROGRAM>', 'the Program’s id')
    .option('--input <JSON>', 'the input: JSON, @FILE, or - for standard input')
    .option('--version <N>', 'the version (default: the newest runnable one)', parsePositive)
    .option('--idempotency-key <KEY>', 'repeating a request with the same key starts no second Execution')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & StartFlags) => {
        const { start } = await import('./execution-commands.ts')
        return start(session, id, flags)
      }),
    )

  withWaitFlags(withClientFlags(program.command('run-again')))
    .summary('start another Execution with the input of one')
    .description(
      'Start another Execution of the same Program with the same input, such as of one that failed, and print its id.',
    )
    .argument('<ID>', 'the id of the Execution to run again')
    .option('--version <N>', 'the version (default: the newest runnable one)', parsePositive)
    .option('--idempotency-key <KEY>', 'repeating a request with the same key starts no second Execution')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & RunAgainFlags) => {
        const { runAgain } = await import('./execution-commands.ts')
        return runAgain(session, id, flags)
      }),
    )

  withClientFlags(program.command('send'))
    .summary('send an event to an Execution')
    .argument('<ID>', 'the Execution’s id')
    .argument('<NAME>', 'the event’s name')
    .argument('[JSON]', 'the payload: JSON, @FILE, or - for standard input')
    .option('--idempotency-key <KEY>', 'repeating a request with the same key sends no second event')
    .action(
      onService(async (session, [id, name, payload]: [string, string, string?], flags: ClientFlags & SendFlags) => {
        const { send } = await import('./execution-commands.ts')
        return send(session, id, name, payload, flags)
      }),
    )

  for (const [name, summary] of [
    ['fire', 'fire a timer, or time out a wait, now'],
    ['retry', 'retry an effect now instead of after its delay'],
  ] as const) {
    withClientFlags(program.command(name))
      .summary(summary)
      .argument('<ID>', 'the Execution’s id')
      .argument('<COMMAND>', 'the command’s number in `wes history ID`', parsePositive)
      .action(
        onService(async (session, [id, command]: [string, number]) => {
          const commands = await import('./execution-commands.ts')
          return commands[name](session, id, command)
        }),
      )
  }

  withClientFlags(program.command('cancel'))
    .summary('cancel an Execution')
    .argument('<ID>', 'the Execution’s id')
    .action(
      onService(async (session, [id]: [string]) => {
        const { cancel } = await import('./execution-commands.ts')
        return cancel(session, id)
      }),
    )

  withWaitFlags(withClientFlags(program.command('result')))
    .summary('read the result of an Execution')
    .argument('<ID>', 'the Execution’s id')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & WaitFlags) => {
        const { result } = await import('./execution-commands.ts')
        return result(session, id, flags)
      }),
    )
}

const addListCommands = (program: Command, onService: OnService): void => {
  const executions = withPageFlags(withClientFlags(program.command('executions')))
    .summary('list Executions, newest first; show one, or remove some')
    .addOption(
      repeatedChoice('--status <STATUS>', 'only Executions with this status; may be repeated', [
        ...UNFINISHED,
        ...FINISHED,
      ]),
    )
    .option('--program-id <ID>', 'only Executions of this Program')
    .option('--version <N>', 'only Executions of this version', parsePositive)
    .option('--trigger-id <ID>', 'only Executions that this Trigger started; hosted services only')
    .option('--again-of <ID>', 'only Executions that run this one again')
    .option(
      '--created-after <TIME>',
      'only Executions created after this time: ISO 8601, or back from now, such as 2h',
      parseTime,
    )
    .option('--created-before <TIME>', 'only Executions created before this time, in the same forms', parseTime)
    .option('--label <TEXT>', 'only Executions whose label contains this text')
    .option('--q <TEXT>', 'only Executions whose id begins with this text, or whose error message contains it')
    .action(
      onService(async (session, _args, flags: ClientFlags & PageFlags & ExecutionFilter) => {
        const { executions } = await import('./list-commands.ts')
        await executions(session, flags)
      }),
    )
  withClientFlags(executions.command('show'))
    .summary('show an Execution: status, times, input, what it waits for, and its result or error')
    .argument('<ID>', 'the Execution’s id')
    .action(
      onService(async (session, [id]: [string]) => {
        const { showExecution } = await import('./show-execution.ts')
        await showExecution(session, id)
      }),
    )
  withClientFlags(executions.command('remove'))
    .alias('rm')
    .summary('remove Executions that have ended, with their history')
    .argument('<ID...>', 'the Executions’ ids')
    .action(
      onService(async (session, [ids]: [string[]]) => {
        const { removeExecutions } = await import('./list-commands.ts')
        await removeExecutions(session, ids)
      }),
    )

  withPageFlags(withClientFlags(program.command('programs')))
    .summary('list Programs')
    .action(
      onService(async (session, _args, flags: ClientFlags & PageFlags) => {
        const { programs } = await import('./list-commands.ts')
        await programs(session, flags)
      }),
    )

  const versions = withPageFlags(withClientFlags(program.command('versions')))
    .summary('list versions of a Program, newest first; print the artifact of one, or remove it')
    .argument('<ID>', 'the Program’s id')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & PageFlags) => {
        const { versions } = await import('./list-commands.ts')
        await versions(session, id, flags)
      }),
    )
  withClientFlags(versions.command('artifact'))
    .summary('print the artifact of a version without its description, as `wes deploy` takes it')
    .argument('<ID>', 'the Program’s id')
    .argument('<NUMBER>', 'the version’s number', parsePositive)
    .action(
      onService(async (session, [id, number]: [string, number]) => {
        const { versionArtifact } = await import('./list-commands.ts')
        await versionArtifact(session, id, number)
      }),
    )
  withClientFlags(versions.command('remove'))
    .alias('rm')
    .summary('remove an unused version')
    .argument('<ID>', 'the Program’s id')
    .argument('<NUMBER>', 'the version’s number', parsePositive)
    .action(
      onService(async (session, [id, number]: [string, number]) => {
        const { removeVersion } = await import('./list-commands.ts')
        await removeVersion(session, id, number)
      }),
    )

  withPageFlags(withClientFlags(program.command('history')))
    .summary('show the history of an Execution')
    .option('--follow', 'print each new entry, too, until the Execution ends; exit code 1 unless it completed')
    .argument('<ID>', 'the Execution’s id')
    .action(
      onService(async (session, [id]: [string], flags: ClientFlags & PageFlags & { readonly follow?: true }) => {
        if (flags.follow === true) return (await import('./follow-history.ts')).followHistory(session, id, flags)
        return (await import('./list-commands.ts')).history(session, id, flags)
      }),
    )

  const projects = withClientFlags(program.command('projects'))
    .summary('list projects or create one')
    .action(
      onService(async (session) => {
        const { projects } = await import('./list-commands.ts')
        await projects(session)
      }),
    )
  withClientFlags(projects.command('create'))
    .summary('create a project')
    .argument('<NAME>', 'the project’s name, 1–80 characters')
    .action(
      onService(async (session, [name]: [string]) => {
        const { createProject } = await import('./list-commands.ts')
        await createProject(session, name)
      }),
    )

  withClientFlags(program.command('whoami').helpGroup(HOSTED_ONLY))
    .summary('show the workspace of the token')
    .action(
      onService(async (session) => {
        const { whoami } = await import('./list-commands.ts')
        await whoami(session)
      }),
    )
}

const withWaitFlags = (command: Command): Command =>
  command
    .option('--wait', 'wait until the Execution ends and print its result; exit code 1 unless it completed')
    .option('--timeout <SECONDS>', 'with --wait: the longest time to wait; exit code 1 if it ends first', parseSeconds)

const parseSeconds = (value: string): number => {
  const seconds = /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) : 0
  if (seconds === 0) throw new InvalidArgumentError('It must be a number of seconds, more than 0.')
  return seconds
}
