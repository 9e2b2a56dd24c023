// Finds an option that npm took for itself, because no `--` stood in front of it. The command would run without it.

import type { Command } from 'commander'
import { isCalled } from './flags.ts'

/** npm has options of these names too: its environment holds them also where nobody typed them. */
const OF_NPM: ReadonlySet<string> = new Set(['all', 'help', 'json', 'verbose', 'version', 'workspace', 'yes'])

export const takenByNpm = (
  program: Command,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  // Another script, such as that of a test, may run `wes` too.
  if (!/(?:^|[\s/\\])wes(?:\.mjs)?(?:\s|$)/.test(env['npm_lifecycle_script'] ?? '')) return undefined
  const command = args.reduce<Command>(
    (found, name) => found.commands.find((one) => isCalled(one, name)) ?? found,
    program,
  )
  const options = [...program.options, ...command.options]
  return options.find(({ long }) => {
    const name = long?.replace(/^--(?:no-)?/, '')
    return name !== undefined && !OF_NPM.has(name) && env[`npm_config_${variableOf(name)}`] !== undefined
  })?.long
}

/** npm completes the name of an option where one of its own begins so. */
const variableOf = (name: string): string => (name === 'token' ? 'token_description' : name.replaceAll('-', '_'))
