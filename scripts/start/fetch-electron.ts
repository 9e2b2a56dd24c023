// Downloads the Electron binary with the electron package's own script. That script has no deadline, so the host is asked
// first: a network that never answers costs seconds.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const PROBE_LIMIT_MS = 4_000
const DOWNLOAD_LIMIT_MS = 600_000
const RELEASES = 'https://github.com/electron/electron/releases/download/'

type Environment = Readonly<Record<string, string | undefined>>

const MIRRORS = ['ELECTRON_MIRROR', 'npm_config_electron_mirror', 'NPM_CONFIG_ELECTRON_MIRROR'] as const

/** Why the place that the binary comes from cannot be reached; undefined when it answers, whatever it says. */
export const whyUnreachable = async (env: Environment, limitMs = PROBE_LIMIT_MS): Promise<string | undefined> => {
  const mirror = MIRRORS.map((name) => env[name]).find((value) => value) ?? RELEASES
  const url = URL.parse(mirror)
  if (url === null || !/^https?:$/.test(url.protocol)) return `the mirror "${mirror}" is no web address`
  try {
    await (
      await head(env)
    )(url.href, limitMs)
    return undefined
  } catch (error) {
    return `${url.host} cannot be reached (${reasonOf(error, limitMs)})`
  }
}

/** Through the proxies of the environment where the download will use them, too. */
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

/** Why the download failed; undefined when the binary is there. Its progress goes to stdout. */
export const downloadElectron = async (packageFolder: string, env: Environment): Promise<string | undefined> => {
  const child = spawn(process.execPath, [join(packageFolder, 'install.js')], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
    timeout: DOWNLOAD_LIMIT_MS,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code === 0) return undefined
  const words = said.split('\n').find((line) => line.trim() !== '')
  return `the download failed: ${words?.trim() ?? signal ?? `exit code ${code}`}`
}
