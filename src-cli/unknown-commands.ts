// What the command line says of a command that it does not have, and of arguments that a command does not take.

import { Command } from 'commander'
import { shellWord } from './shell-word.ts'

/** Whether only its commands take arguments. */
export const isGroup = ({ commands, registeredArguments }: Command): boolean =>
  commands.length > 0 && registeredArguments.length === 0

/** Commander says only that there are too many arguments, where a command such as `triggers` also does something alone. */
export const nameUnknownCommands = (program: Command): void => {
  program.on('command:*', ([unknown]: readonly string[]) => refuseUnknown(program, [unknown ?? '']))
  for (const command of program.commands.filter(isGroup)) command.allowExcessArguments()
  program.hook('preAction', (_program, command) => {
    const [unknown] = command.args
    if (isGroup(command) && unknown !== undefined) refuseUnknown(command, [command.name(), unknown])
  })
}

/** Commander says only that there are too many arguments, where an input was passed without its flag. */
export const suggestInputFlag = (program: Command): void => {
  for (const command of program.commands.flatMap(withSubcommands).filter(takesInput)) command.allowExcessArguments()
  program.hook('preAction', (_program, command) => {
    const excess = command.args.slice(command.registeredArguments.length)
    if (!takesInput(command) || excess.length === 0) return
    const hint =
      command.getOptionValue('input') === undefined ? `\n(Did you mean --input ${shellWord(excess.join(' '))}?)` : ''
    command.error(`error: too many arguments for '${command.name()}'${hint}`)
  })
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]
const takesInput = ({ options }: Command): boolean => options.some(({ long }) => long === '--input')

export const refuseUnknown = (command: Command, names: readonly string[]): never => {
  // A command such as `start` has no others to list.
  const listing = command.commands.length > 0 ? command : (command.parent ?? command)
  return listing.error(`error: unknown command '${names.join(' ')}'${suggestion(command, names.at(-1)!)}`)
}

/** What other command lines call these. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['rerun', 'run-again'],
  ['run', 'start'],
  ['show', 'executions show'],
  ['describe', 'executions show'],
  ['status', 'executions show'],
  ['logs', 'history --follow'],
])

/** What commander says behind the unknown name of a command. It does so only for a group without arguments and action. */
const suggestion = (command: Command, unknown: string): string => {
  const { commands } = command
  if (command.name() === 'executions' && unknown.startsWith('exe_'))
    return `\n(Did you mean executions show ${unknown}?)`
  const meant = command.parent === null ? OTHER_NAMES.get(unknown) : undefined
  if (meant !== undefined) return `\n(Did you mean ${meant}?)`
  const group = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  for (const one of commands) group.command(one.name())
  try {
    group.parse([unknown], { from: 'user' })
    return ''
  } catch (error) {
    return /\n\(Did you mean .*\)$/.exec((error as Error).message)?.[0] ?? ''
  }
}
