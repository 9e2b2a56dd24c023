// Finds the token of the user's local runtime in runtime.json. It is only sent to the process that proves to be that
// runtime.

import { readRuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import { provesToOwn } from '#runtime/identity/prove-identity.ts'
import { DEFAULT_PORT } from '#runtime/shared/default-port.ts'
import type { ClientFlags } from './session.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Adds the local runtime's URL and token to the flags, if they give no token and the runtime requires one. */
export const withLocalToken = async <Flags extends ClientFlags>(
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<Flags> => {
  if (flags.token || env['SERVICE_TOKEN']?.trim()) return flags
  const url = flags.url || env['SERVICE_RUNTIME_URL']?.trim() || `http://localhost:${DEFAULT_PORT}`
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'http:' || !LOOPBACK.has(parsed.hostname)) return flags
  const info = readRuntimeInfo(defaultDataDirectory(env))
  if (info?.token === undefined || String(info.port) !== parsed.port || !(await provesToOwn(info))) return flags
  // The runtime has proven itself at this address; another process may listen on the same port of [::1].
  parsed.hostname = '127.0.0.1'
  return { ...flags, url: parsed.href, token: info.token }
}
