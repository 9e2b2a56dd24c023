// `wes completion`, and the hidden command that the scripts it prints call.

import { Argument, type Command } from 'commander'
import { withUnusedClientFlags } from '../flags.ts'
import type { Terminal } from '../terminal.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

export const addCompletion = (program: Command, terminal: Terminal): void => {
  withUnusedClientFlags(program.command('completion'))
    .summary('print a script that completes commands in a shell')
    .description(
      'Print a script that completes commands, options, and ids of the service in a shell. To load it in every new shell, add to ~/.bashrc `source <(wes completion bash)`, to ~/.zshrc after `compinit` `source <(wes completion zsh)`, or to ~/.config/fish/config.fish `wes completion fish | source`.',
    )
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion-script.ts')
      await terminal.out(completionScript(shell, [process.execPath, process.argv[1] ?? '']))
    })

  program
    .command('complete', { hidden: true })
    .argument('[WORDS...]', 'the words behind `wes`, up to the cursor')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./complete.ts')
      const { knownValues } = await import('./known-values.ts')
      await terminal.out(await complete(program, words, knownValues))
    })
}
