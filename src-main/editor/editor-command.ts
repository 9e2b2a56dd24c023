// The command that opens a file at a line in the user's editor. Editors that need a terminal are not supported.

import { basename } from 'node:path'
import type { SourcePlace } from '../preload/desktop-api.ts'

export type EditorCommand =
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }
  /** The system's default program for such files; it takes no line number. */
  | { readonly kind: 'default' }

type Arguments = (place: SourcePlace) => readonly string[]

const goto: Arguments = ({ path, line, column }) => ['--goto', `${path}:${line}:${column}`]
const colons: Arguments = ({ path, line, column }) => [`${path}:${line}:${column}`]
const jetBrains: Arguments = ({ path, line, column }) => ['--line', `${line}`, '--column', `${column}`, path]
const plus: Arguments = ({ path, line, column }) => [`+${line}:${column}`, path]

const KNOWN: Readonly<Record<string, Arguments>> = {
  code: goto,
  'code-insiders': goto,
  cursor: goto,
  windsurf: goto,
  codium: goto,
  zed: colons,
  subl: colons,
  webstorm: jetBrains,
  idea: jetBrains,
  gedit: plus,
  emacsclient: (place) => ['-n', ...plus(place)],
  kate: ({ path, line, column }) => ['--line', `${line}`, '--column', `${column}`, path],
  mate: ({ path, line, column }) => ['--line', `${line}:${column}`, path],
}

/** Tried in this order if the environment names no known editor. */
const LOOKED_FOR = ['code', 'cursor', 'windsurf', 'codium', 'code-insiders', 'zed', 'webstorm', 'idea', 'subl']

/** Editors that take links; on Windows their commands are scripts, which only a shell can run. */
const SCHEMES = ['vscode', 'cursor', 'windsurf', 'vscodium', 'vscode-insiders']

export const editorCommand = (
  place: SourcePlace,
  system: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly platform: NodeJS.Platform
    readonly hasCommand: (name: string) => boolean
    readonly hasScheme: (scheme: string) => boolean
  },
): EditorCommand => {
  const { env, platform, hasCommand, hasScheme } = system
  if (platform !== 'win32') {
    const wished = [env['VISUAL'], env['EDITOR']].map(programOf).find((name) => name !== undefined && knows(name))
    const command = wished ?? LOOKED_FOR.find(hasCommand)
    if (command !== undefined) return { kind: 'command', command, args: KNOWN[basename(command)]!(place) }
  }
  const scheme = SCHEMES.find(hasScheme)
  return scheme === undefined ? { kind: 'default' } : { kind: 'url', url: linkOf(scheme, place) }
}

const knows = (command: string): boolean => Object.hasOwn(KNOWN, basename(command))

/** `code --wait` names `code`; so does `"/a b/code" --wait`. */
const programOf = (command: string | undefined): string | undefined => {
  const [, quoted, plain] = /^\s*(?:"([^"]+)"|(\S+))/.exec(command ?? '') ?? []
  return quoted ?? plain
}

const linkOf = (scheme: string, { path, line, column }: SourcePlace): string => {
  const slashed = path.replaceAll('\\', '/')
  const encoded = slashed
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '$1:')
  return `${scheme}://file/${encoded.replace(/^\//, '')}:${line}:${column}`
}
