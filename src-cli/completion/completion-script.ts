// The scripts that `wes completion` prints. They ask `wes complete` for the words that may come next. They call this
// installation by its path, so that they work where `wes` is an alias, such as of `npx wes`.

import type { Shell } from './completion-flags.ts'

export const completionScript = (shell: Shell, wes: readonly string[]): string =>
  SCRIPTS[shell].replaceAll('WES', () => wes.map(shell === 'fish' ? quotedForFish : quoted).join(' '))

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
const quotedForFish = (word: string): string => `'${word.replaceAll(/['\\]/g, String.raw`\$&`)}'`

/**
 * Bash splits words at `=`, `:` and `@`, and replaces only what is behind the last one, or behind an open quote. It inserts
 * what it gets, so the words are quoted for it.
 */
const BASH = `_wes() {
  local line word before quote at=0 rest=\${COMP_LINE:0:COMP_POINT}
  local -a words=()
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD}" ''; do
    if [[ $rest == [[:space:]]* ]]; then
      at=$((at + 1))
      rest=\${rest#"\${rest%%[![:space:]]*}"}
    fi
    word=\${word:-$rest}
    words[at]+=$word
    rest=\${rest#"$word"}
  done
  before=\${words[at]%"$2"}
  quote=\${before:(-1)}
  before=\${before%[\\'\\"]}
  COMPREPLY=()
  compopt +o default
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o default
        [[ $2 == @* ]] && compopt -o nospace && mapfile -t COMPREPLY < <(compgen -f -P @ -- "\${2#@}")
        ;;
      :folders) compopt -o dirnames ;;
      *)
        word=\${line%%$'\\t'*}
        word=\${word#"$before"}
        case $quote in
          [\\'\\"]) [[ $word == *[\\'\\"\\\\\\\`\\$!]* ]] && continue ;; # quotes do not protect these alike
          *) printf -v word %q "$word" ;;
        esac
        COMPREPLY+=("$word")
        ;;
    esac
  done < <(WES complete -- "\${words[@]:1:at-1}" "\${words[at]//\\\\/}" 2>/dev/null)
}
complete -o default -F _wes wes
`

const ZSH = `#compdef wes
_wes() {
  local line word description
  local -a found
  for line in "\${(@f)$(WES complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) compset -P '*=' ; compset -P '@'; _files; return ;;
      :folders) compset -P '*='; _files -/; return ;;
      *)
        word=\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}
        description=\${line#*$'\\t'}
        found+=("\${word//:/\\\\:}\${description:+:$description}")
        ;;
    esac
  done
  _describe -V wes found
}
compdef _wes wes
`

const FISH = `function __wes_complete
  set -l current (commandline -ct | string replace -r '^((?:--[^=]*=)?)["\\']' '$1')
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
