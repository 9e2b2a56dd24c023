// One run of the command line: from arguments to exit code.

import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import type { HostAhead } from '#runtime/create-runtime.ts'
import { createCommands, type Outcome } from './commands.ts'
import { printFailure, UsageError } from './failures.ts'
import { takenByNpm } from './taken-by-npm.ts'
import { printable } from './text.ts'
import { endUnwritten, neverWaitForReader, processTerminal } from './terminal.ts'

/** `firstHost`: for the runtime that `wes dev` creates. */
export const run = async (args: readonly string[], firstHost?: HostAhead): Promise<number> => {
  const streams = processTerminal(process.stdout, process.stderr, process.env)
  let hasOutput = false
  const out = (text: string): Promise<void> => {
    hasOutput = true
    return streams.out(text)
  }
  const terminal = { ...streams, out }
  const asJson = args.includes('--json')
  const outcome: Outcome = { exitCode: 0 }
  // A runtime continues when its reader or terminal is gone or reads nothing, or the disk that holds its log is full.
  const continues = args[0] === 'dev' || args[0] === 'serve'
  const onUnwritten = continues ? () => {} : endUnwritten(process.stderr, (code) => process.exit(code))
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onUnwritten)
  if (continues) [process.stdout, process.stderr].forEach(neverWaitForReader)

  const commands = createCommands({
    terminal,
    outcome,
    version: readVersion(),
    onUsageError: (text) => terminal.err(printable(text)),
    firstHost,
  })
  try {
    const taken = takenByNpm(commands, args, process.env)
    if (taken !== undefined) {
      const script = process.env['npm_lifecycle_event']
      throw new UsageError(
        `npm took ${taken} for itself. Put -- in front of the arguments: npm run ${script} -- … ${taken}`,
      )
    }
    await commands.parseAsync(args, { from: 'user' })
    return outcome.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0 // help and version
    const printed = printFailure(error instanceof CommanderError ? usage(error) : error)
    // If a part of a list was printed, the JSON of an error behind it would make the output unreadable.
    if (asJson && !hasOutput) await terminal.out(printed.json)
    if (!(error instanceof CommanderError)) terminal.err(printed.text)
    // Commander has printed it, but not why it printed help that was not asked for.
    else if (error.code === 'commander.help') terminal.err(`\nerror: ${usage(error).message}\n`)
    return printed.exitCode
  }
}

const usage = ({ code, message }: CommanderError): UsageError =>
  new UsageError(code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, ''))

const readVersion = (): string => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
