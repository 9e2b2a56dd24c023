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

/** Commander says only that there are too many arguments, where a flag or quotes are missing. */
export const explainExcess = (program: Command): void => {
  const explained = program.commands.flatMap(withSubcommands).filter(isExplained)
  for (const command of explained) command.allowExcessArguments()
  program.hook('preAction', (_program, command) => {
    const excess = command.args.slice(command.registeredArguments.length)
    if (!isExplained(command) || excess.length === 0) return
    const hint = hintForExcess(command, excess)
    command.error(`error: too many arguments for '${command.name()}'${hint === undefined ? '' : `\n(${hint})`}`)
  })
}

const isExplained = (command: Command): boolean =>
  command.registeredArguments.at(-1)?.variadic !== true &&
  (['--input', '--project'].some((flag) => hasOption(command, flag)) ||
    hasArgument(command, 'JSON') ||
    command.name() === 'programs')

const hintForExcess = (command: Command, excess: readonly string[]): string | undefined => {
  if (command.name() === 'programs')
    return `Did you mean ${isList(excess[0]) ? 'programs' : `versions ${shellWord(excess[0] ?? '')}`}?`
  if (hasArgument(command, 'CRON') && command.args[1]?.includes(' ') !== true)
    return "CRON is one argument, in quotes: '0 9 * * MON-FRI'"
  const parts: readonly unknown[] = [command.getOptionValue('input'), ...command.args]
  if (hasOption(command, '--input') && parts[0] === undefined) return `Did you mean --input ${quoted(excess)}?`
  if (parts.some((part) => typeof part === 'string' && /^[[{]/.test(part) && !isJson(part)))
    return 'JSON with spaces is one argument: put it in quotes, or pass it as @FILE'
  if (!hasOption(command, '--project') || command.registeredArguments.length > 0) return undefined
  return `Did you mean --project ${quoted(excess)}?`
}

const quoted = (words: readonly string[]): string => shellWord(words.join(' '))

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]
const hasOption = ({ options }: Command, flag: string): boolean => options.some(({ long }) => long === flag)
const hasArgument = ({ registeredArguments }: Command, name: string): boolean =>
  registeredArguments.some((argument) => argument.name() === name)

export const refuseUnknown = (command: Command, names: readonly string[]): never => {
  // A command such as `start` has no others to list.
  const listing = command.commands.length > 0 ? command : (command.parent ?? command)
  return listing.error(`error: unknown command '${names.join(' ')}'${suggestion(command, names.at(-1)!)}`)
}

/** What other command lines call these. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['rerun', 'run-again'],
  ['run', 'start'],
  ['list', 'executions'],
  ['ls', 'executions'],
  ['ps', 'executions'],
  ['show', 'executions show'],
  ['describe', 'executions show'],
  ['status', 'executions show'],
  ['logs', 'history --follow'],
  ['stop', 'cancel'],
  ['signal', 'send'],
  ['init', 'new'],
  ['version', '--version'],
  ['schedule', 'triggers add schedule'],
  ['webhook', 'triggers add webhook'],
])

/** What other command lines call the commands of a group. The first one counts that the group has. */
const OTHER_NAMES_IN_GROUPS: readonly (readonly [string, string])[] = [
  ['delete', 'remove'],
  ['delete', 'revoke'],
  ['unset', 'remove'],
  ['get', 'show'],
  ['get', 'list'],
  ['new', 'create'],
]

const isList = (word: string | undefined): boolean => word === 'list' || word === 'ls'

/** Where a group has no command for its list, it lists by itself. */
const meantInGroup = (group: Command, unknown: string): string | undefined => {
  if (isList(unknown)) return hasCommand(group, 'list') ? 'list' : group.name()
  return OTHER_NAMES_IN_GROUPS.find(([other, name]) => other === unknown && hasCommand(group, name))?.[1]
}

const hasCommand = ({ commands }: Command, name: string): boolean => commands.some((one) => one.name() === name)

/** What commander says behind the unknown name of a command. It does so only for a group without arguments and action. */
const suggestion = (command: Command, unknown: string): string => {
  const { commands } = command
  if (command.name() === 'executions' && unknown.startsWith('exe_'))
    return `\n(Did you mean executions show ${unknown}?)`
  const meant = command.parent === null ? OTHER_NAMES.get(unknown) : meantInGroup(command, unknown)
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
