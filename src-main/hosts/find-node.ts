// The user's own Node, for effects and schemas: packages of effects may hold native modules, which are built for Node and
// not for Electron, and only Node has permissions to deny to schemas. A desktop app does not inherit the PATH of a shell everywhere, so the usual places are looked at as well.

import { execFile } from 'node:child_process'
import { access, constants, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export type FoundNode = { readonly path: string; readonly version: string }

/** The first with `--permission` and `registerHooks`. */
const LEAST = [22, 15] as const
const ANSWER_LIMIT_MS = 3_000
const MOST_TRIED = 8

/** The first Node that is new enough. */
export const findNode = async (
  env: NodeJS.ProcessEnv,
  home: string,
  platform: NodeJS.Platform = process.platform,
): Promise<FoundNode | undefined> => {
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(Boolean), ...(await usualFolders(home, platform))]
  let tried = 0
  for (const folder of new Set(folders)) {
    const path = join(folder, name)
    if (!(await isExecutable(path))) continue
    if (++tried > MOST_TRIED) return undefined
    const version = await versionOf(path)
    if (version !== undefined && isNewEnough(version)) return { path, version }
  }
  return undefined
}

export const isNewEnough = (version: string): boolean => {
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)\./.exec(version)?.map(Number) ?? []
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])
}

const usualFolders = async (home: string, platform: NodeJS.Platform): Promise<readonly string[]> => {
  if (platform === 'win32') return ['C:\\Program Files\\nodejs']
  const versions = join(home, '.nvm/versions/node')
  const installed = await readdir(versions).catch(() => [])
  const newestFirst = installed.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return [
    ...newestFirst.map((version) => join(versions, version, 'bin')),
    join(home, '.volta/bin'),
    join(home, '.local/share/fnm/aliases/default/bin'),
    // On macOS, fnm before version 1.39.
    join(home, 'Library/Application Support/fnm/aliases/default/bin'),
    join(home, '.local/share/mise/shims'),
    join(home, '.asdf/shims'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    '/usr/bin',
  ]
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

const versionOf = async (path: string): Promise<string | undefined> => {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: ANSWER_LIMIT_MS, windowsHide: true })
    return /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0]
  } catch {
    return undefined
  }
}
