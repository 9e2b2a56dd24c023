import { onTestFinished } from 'vitest'
import { type Answer, type ScriptedServer, startScriptedServer } from '../src-sdk/scripted-server.test-support.ts'
import { wesHere } from './wes-here.test-support.ts'
import type { WesOptions, WesRun } from './wes.test-support.ts'

/** Runs the command line in a test, against a server that sends `answer` as a local runtime or a hosted service would. */
export const runsAgainst =
  (home: 'local' | 'hosted') =>
  async (
    answer: Answer,
    args: readonly string[],
    options: WesOptions = {},
  ): Promise<WesRun & { readonly server: ScriptedServer }> => {
    const server = await startScriptedServer(answer)
    onTestFinished(server.close)
    const { url } = server
    const place: Readonly<Record<string, string>> =
      home === 'local' ? { SERVICE_RUNTIME_URL: url } : { SERVICE_API_BASE_URL: url, SERVICE_TOKEN: 'wes_x' }
    return { ...(await wesHere(args, { ...options, env: { ...place, ...options.env } })), server }
  }
