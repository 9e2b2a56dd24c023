// The scripts that `wes completion` prints. They ask `wes complete` for the words that may come next. They call this
// installation by its path, so that they work where `wes` is an alias, such as of `npx wes`.

import type { Shell } from './completion-flags.ts'

export const completionScript = (shell: Shell, wes: readonly string[]): string =>
  SCRIPTS[shell].replaceAll('WES', () => wes.map(shell === 'fish' ? quotedForFish : quoted).join(' '))

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
const quotedForFish = (word: string): string => `'${word.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/** Bash splits words at `=`, and replaces only what is behind it. */
const BASH = `_wes() {
  local word before=
  [[ $2 != "\${COMP_WORDS[COMP_CWORD]}" || \${COMP_WORDS[COMP_CWORD - 1]} == = ]] && before='*='
  COMPREPLY=()
  compopt +o default
  while IFS=$'\\t' read -r word _; do
    case $word in
      :files)
        compopt -o default
        [[ $2 == @* ]] && compopt -o nospace && mapfile -t COMPREPLY < <(compgen -f -P @ -- "\${2#@}")
        ;;
      :folders) compopt -o dirnames ;;
      *) COMPREPLY+=("\${word#$before}") ;;
    esac
  done < <(WES complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _wes wes
`

const ZSH = `#compdef wes
_wes() {
  local line
  local -a found
  for line in "\${(@f)$(WES complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) compset -P '*=' ; compset -P '@'; _files; return ;;
      :folders) compset -P '*='; _files -/; return ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe -V wes found
}
compdef _wes wes
`

const FISH = `function __wes_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc)
  set -l before (string match -r '^(?:--[^=]*=)?@?' -- $current)
  set -l path (string sub -s (math (string length -- "$before") + 1) -- $current)
  for line in (WES complete -- $words[2..] "$current" 2>/dev/null)
    switch $line
      case :files
        printf "$before%s\\n" (__fish_complete_path "$path")
      case :folders
        printf "$before%s\\n" (__fish_complete_directories "$path" '')
      case '*'
        echo $line
    end
  end
end
complete -c wes -f -a '(__wes_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
