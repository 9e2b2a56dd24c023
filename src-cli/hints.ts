// What the user can do about an error.

import type { ServiceRuntimeError } from '#sdk/index.ts'
import { isLoopback } from '#runtime/shared/is-loopback.ts'
import { shellWord } from './shell-word.ts'

export type Caller = { readonly url: string | undefined; readonly token: string | undefined }

export const hintFor = (error: ServiceRuntimeError, caller: Caller): string | undefined => {
  switch (error.code) {
    case 'network_error':
      if (caller.token) return 'Check the address (--url, SERVICE_API_BASE_URL) and the network.'
      return isLocal(caller.url)
        ? 'If no local runtime is running, start it with `wes dev`. For another address, use --url or SERVICE_RUNTIME_URL.'
        : 'Check the address (--url, SERVICE_RUNTIME_URL) and the network.'
    case 'invalid_response':
      return 'Another server is running at this address: check --url and SERVICE_RUNTIME_URL.'
    case 'wait_timeout': {
      const { executionId: id, message } = error
      const isKnown = message.includes('had not ended')
      return (
        id && `${isKnown ? 'The Execution continues. ' : ''}Wait again with \`wes result ${shellWord(id)} --wait\`.`
      )
    }
    case 'unauthorized':
      return caller.token
        ? 'The token of SERVICE_TOKEN or --token may have expired, or was revoked.'
        : 'Pass a token with SERVICE_TOKEN or --token. If the local runtime uses another data directory, set WES_DATA_DIR.'
    case 'hosted_only':
      return 'A hosted service needs a token: set SERVICE_TOKEN or pass --token.'
    case 'payload_too_large':
      return 'A deploy may have 16 MiB, any other request 1 MiB.'
    case 'project_not_found':
      return '`wes projects` lists the projects.'
    case 'program_not_found':
      return '`wes programs` lists the Programs; `wes deploy FILE` adds one.'
    case 'version_not_found':
      return '`wes versions PROGRAM` lists the versions.'
    case 'program_not_runnable':
      return '`wes versions PROGRAM` shows which versions this service can run.'
    case 'execution_not_found':
      return '`wes executions` lists the Executions.'
    case 'execution_not_finished':
      return '`wes cancel ID` ends an Execution.'
    case 'version_in_use':
      return error.message.includes('Executions')
        ? '`wes executions --program-id PROGRAM --version N` lists them; `wes executions rm ID…` removes those that have ended.'
        : undefined
    case 'idempotency_conflict':
      return 'This key was used for another request in the last 24 hours: choose another one.'
    default:
      return undefined
  }
}

/** As is the address that is used where none is given. */
const isLocal = (url: string | undefined): boolean => !url || isLoopback(URL.parse(url)?.hostname ?? '')
