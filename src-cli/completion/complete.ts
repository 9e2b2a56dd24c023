// Which words may come next on a command line, from commander's own tree of commands. The scripts of
// `completion-script.ts` read the answer: a word a line, with a tab and a description, or `:files` or `:folders` alone.

import type { Argument, Command, Option } from 'commander'
import type { Askable, Known, KnownValues } from './known-values.ts'
import { isCalled } from '../flags.ts'
import { oneLine } from '../text.ts'

type Candidate = readonly [word: string, description?: string]

/** Where a line stands: in which command, with what behind it, and whether the next word is the value of an option. */
type Place = {
  readonly command: Command
  readonly operands: readonly string[]
  readonly flags: Readonly<Record<string, string>>
  readonly valueOf: Option | undefined
  /** After `--` no word is an option. */
  readonly operandsOnly: boolean
}

/** What the service knows the values of, by command and argument. A test looks for ids that are missing here. */
const ARGUMENTS: Readonly<Record<string, Askable>> = {
  'start PROGRAM': 'programs',
  'run-again ID': 'finished',
  'send ID': 'unfinished',
  'send NAME': 'events',
  'fire ID': 'unfinished',
  'retry ID': 'unfinished',
  'cancel ID': 'unfinished',
  'result ID': 'executions',
  'history ID': 'executions',
  'executions show ID': 'executions',
  'executions remove ID': 'finished',
  'versions ID': 'programs',
  'versions artifact ID': 'programs',
  'versions artifact NUMBER': 'versions',
  'versions remove ID': 'programs',
  'versions remove NUMBER': 'versions',
  'env remove NAME': 'variables',
  'triggers enable ID': 'triggers',
  'triggers disable ID': 'triggers',
  'triggers remove ID': 'triggers',
  'triggers fire ID': 'triggers',
  'triggers add webhook PROGRAM': 'programs',
  'triggers add schedule PROGRAM': 'programs',
}

const OPTIONS: Readonly<Record<string, Askable>> = {
  '--project-id': 'projects',
  '--program-id': 'programs',
  '--trigger-id': 'triggers',
  '--label': 'labels',
  '--again-of': 'executions',
}

/** `words`: all words behind `wes`; the last one, perhaps empty, is the one to complete. */
export const complete = async (program: Command, words: readonly string[], known: KnownValues): Promise<string> => {
  const current = (words.at(-1) ?? '').replace(OPENING_QUOTE, '$1')
  const place = words.slice(0, -1).map(unquoted).reduce(step, {
    command: program,
    operands: [],
    flags: {},
    valueOf: undefined,
    operandsOnly: false,
  })
  const candidates = await candidatesAt(place, current, known)
  if (typeof candidates === 'string') return `${candidates}\n`
  return candidates
    .filter(([word]) => word.startsWith(current))
    .map(([word, description]) => `${word}\t${oneLine(description ?? '')}\n`)
    .join('')
}

/** Shells pass the word behind an open quote with that quote, and replace what is behind it. */
const OPENING_QUOTE = /^(--[^=]*=)?['"]/

/** Bash passes quoted words with their quotes. */
const unquoted = (word: string): string => word.replace(/^(--[^=]*=)?(['"])(.*)\2$/s, '$1$3')

const step = (place: Place, word: string): Place => {
  const { command, operands, flags, valueOf, operandsOnly } = place
  if (valueOf !== undefined) {
    return { ...place, flags: { ...flags, [valueOf.attributeName()]: word }, valueOf: undefined }
  }
  if (operandsOnly) return { ...place, operands: [...operands, word] }
  if (word === '--') return { ...place, operandsOnly: true }
  if (word.startsWith('-')) {
    const { option, value } = optionIn(command, word)
    if (option === undefined || !takesValue(option)) return place
    if (value === undefined) return { ...place, valueOf: option }
    return { ...place, flags: { ...flags, [option.attributeName()]: value } }
  }
  const found = operands.length === 0 ? command.commands.find((one) => isCalled(one, word)) : undefined
  if (found !== undefined) return { ...place, command: found }
  return { ...place, operands: [...operands, word] }
}

const takesValue = (option: Option): boolean => option.required || option.optional

/** `value`: what is behind the `=` in `--status=failed`. */
const optionIn = (command: Command, word: string): { readonly option: Option | undefined; readonly value?: string } => {
  const at = word.indexOf('=')
  const name = at === -1 ? word : word.slice(0, at)
  const option = command.options.find(({ long, short }) => long === name || short === name)
  return at === -1 ? { option } : { option, value: word.slice(at + 1) }
}

type Candidates = readonly Candidate[] | ':files' | ':folders'

const candidatesAt = async (place: Place, current: string, known: KnownValues): Promise<Candidates> => {
  const { command, operands, valueOf, operandsOnly } = place
  const ask = async (what: Askable, begin: string): Promise<readonly Known[]> =>
    (await known(what, { begin, flags: place.flags, operands })).filter(([value]) => canBeTyped(value))
  if (valueOf !== undefined) return valuesOf(valueOf, current, ask)
  if (current.startsWith('-') && !operandsOnly) {
    const { option, value } = optionIn(command, current)
    if (option === undefined || value === undefined) return optionsOf(command)
    const values = await valuesOf(option, value, ask)
    return typeof values === 'string' ? values : values.map(([word, about]) => [`${option.long}=${word}`, about])
  }
  if (command.name() === 'help') return subcommandsOf(commandNamed(place))
  const subcommands = operands.length === 0 && !operandsOnly ? subcommandsOf(command) : []
  const argument = argumentAt(command, operands.length)
  if (argument === undefined) return subcommands.length > 0 ? subcommands : optionsOf(command)
  const values = await valuesOfArgument(command, argument, current, ask)
  return typeof values === 'string' ? values : [...subcommands, ...values]
}

/** A service may know any text. One that begins with a dash would be an option. */
const canBeTyped = (value: string): boolean => value !== '' && !value.startsWith('-') && oneLine(value) === value

type Ask = (what: Askable, begin: string) => Promise<readonly Known[]>

const valuesOf = async (option: Option, begin: string, ask: Ask): Promise<Candidates> => {
  if (option.argChoices !== undefined) return option.argChoices.map((choice) => [choice])
  const what = OPTIONS[option.long ?? '']
  return what === undefined ? filesFor(/<(\w+)/.exec(option.flags)?.[1]) : ask(what, begin)
}

const valuesOfArgument = async (command: Command, argument: Argument, begin: string, ask: Ask): Promise<Candidates> => {
  if (argument.argChoices !== undefined) return argument.argChoices.map((choice) => [choice])
  const what = ARGUMENTS[`${pathOf(command)} ${argument.name()}`]
  return what === undefined ? filesFor(argument.name()) : ask(what, begin)
}

/** A value of JSON may be in a file, as @FILE. */
const filesFor = (name: string | undefined): Candidates => {
  if (name === 'DIR') return ':folders'
  return name === 'FILE' || name === 'JSON' ? ':files' : []
}

const argumentAt = ({ registeredArguments }: Command, index: number): Argument | undefined => {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined)
}

const subcommandsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => [one.name(), one.summary() || one.description()])

const optionsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => [long ?? short ?? '', description])

/** That `help triggers add` speaks of. */
const commandNamed = ({ command, operands }: Place): Command => {
  const program = command.parent ?? command
  return operands.reduce<Command>((one, name) => one.commands.find((sub) => isCalled(sub, name)) ?? one, program)
}

/** As it is typed behind `wes`. */
export const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

export const isKnown = (command: Command, argument: Argument): boolean =>
  `${pathOf(command)} ${argument.name()}` in ARGUMENTS
