// Downloads the Electron binary with the electron package's script. The script has no timeout, so this tests the host
// first.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const PROBE_LIMIT_MS = 4_000
const DOWNLOAD_LIMIT_MS = 600_000
const RELEASES = 'https://github.com/electron/electron/releases/download/'

type Environment = Readonly<Record<string, string | undefined>>

const MIRRORS = ['ELECTRON_MIRROR', 'npm_config_electron_mirror', 'NPM_CONFIG_ELECTRON_MIRROR'] as const

/** Why the download host cannot be reached; undefined if it answers, with any status. */
export const whyUnreachable = async (env: Environment, limitMs = PROBE_LIMIT_MS): Promise<string | undefined> => {
  const mirror = MIRRORS.map((name) => env[name]).find((value) => value) ?? RELEASES
  const url = URL.parse(mirror)
  if (url === null || !/^https?:$/.test(url.protocol)) return `the mirror "${mirror}" is not a web address`
  try {
    await (
      await head(env)
    )(url.href, limitMs)
    return undefined
  } catch (error) {
    return `${url.host} cannot be reached (${reasonOf(error, limitMs)})`
  }
}

/** Uses the proxies of the environment if the download will use them. */
const head = async (env: Environment) => {
  const request = (limitMs: number) =>
    ({ method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(limitMs) }) as const
  if (!env['ELECTRON_GET_USE_PROXY']) return (url: string, limitMs: number) => fetch(url, request(limitMs))
  const { EnvHttpProxyAgent, fetch: fetchThrough } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent()
  return (url: string, limitMs: number) => fetchThrough(url, { ...request(limitMs), dispatcher })
}

const reasonOf = (error: unknown, limitMs: number): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${limitMs / 1000} s`
  const { cause } = error
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return cause instanceof Error ? cause.message : error.message
}

/** Why the download failed; undefined if it succeeded. Prints its progress to stdout. */
export const downloadElectron = async (packageFolder: string, env: Environment): Promise<string | undefined> => {
  const child = spawn(process.execPath, [join(packageFolder, 'install.js')], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
    timeout: DOWNLOAD_LIMIT_MS,
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code === 0) return undefined
  const reason = errors.split('\n').find((line) => line.trim() !== '')
  return `the download failed: ${reason?.trim() ?? signal ?? `exit code ${code}`}`
}
