// What the user can do about an error.

import { HOSTED_BASE_URL, type ServiceRuntimeError } from '#sdk/index.ts'
import { isLoopback } from '#runtime/shared/is-loopback.ts'
import { shellWord } from './shell-word.ts'

export type Caller = {
  readonly url: string | undefined
  readonly token: string | undefined
  /** The address that is used with a token only. */
  readonly hostedUrl: string | undefined
}

export const hintFor = (error: ServiceRuntimeError, caller: Caller): string | undefined => {
  switch (error.code) {
    case 'network_error':
      if (hasCode(error, UNTRUSTED)) {
        return 'Name the file of your own certificate authority in NODE_EXTRA_CA_CERTS, or set NODE_USE_SYSTEM_CA=1 if this computer trusts it.'
      }
      if (hasCode(error, NO_TLS))
        return 'The server at this address does not speak TLS: try http:// instead of https://.'
      if (error.message.endsWith(': bad port'))
        return 'Browsers and Node connect to no server on this port: run the service on another one.'
      if (error.message.includes(HOSTED_BASE_URL))
        return 'This address is a placeholder: set SERVICE_API_BASE_URL to that of your service, or pass --url.'
      if (caller.token) return 'Check the address (--url, SERVICE_API_BASE_URL) and the network.'
      if (caller.url === undefined && caller.hostedUrl)
        return 'SERVICE_API_BASE_URL is used with a token only: set SERVICE_TOKEN or pass --token.'
      return isLocal(caller.url)
        ? 'If no local runtime is running, start it with `wes dev`. For another address, use --url or SERVICE_RUNTIME_URL.'
        : 'Check the address (--url, SERVICE_RUNTIME_URL) and the network.'
    case 'invalid_response':
      return 'Another server is running at this address: check --url and SERVICE_RUNTIME_URL.'
    case 'wait_timeout': {
      const { executionId: id, message } = error
      if (id === undefined) return undefined
      return message.includes('had not ended') ? waitAgain(id) : `Wait again with \`${waitCommand(id)}\`.`
    }
    case 'unauthorized':
      return caller.token
        ? 'The token of SERVICE_TOKEN or --token may have expired, was revoked, is incomplete, or belongs to another service.'
        : 'Pass a token with SERVICE_TOKEN or --token. If the local runtime uses another data directory, set WES_DATA_DIR.'
    case 'invalid_input':
      return error.message.startsWith('input must be ')
        ? '--input JSON of `wes start` and of `wes triggers fire` passes an input.'
        : undefined
    case 'hosted_only':
      return caller.token
        ? 'A local runtime is running at this address: check --url and SERVICE_API_BASE_URL.'
        : 'A hosted service needs a token: set SERVICE_TOKEN or pass --token.'
    case 'payload_too_large':
      return 'A deploy may have 16 MiB, any other request 1 MiB.'
    case 'not_found':
      return error.message.includes('/v1/v1/')
        ? 'Leave /v1 out of the address (--url, SERVICE_RUNTIME_URL, SERVICE_API_BASE_URL): the command adds it.'
        : NOT_THE_API
    case 'method_not_allowed':
      return NOT_THE_API
    case 'project_not_found':
      return '`wes projects` lists the projects.'
    case 'program_not_found':
      return '`wes programs` lists the Programs; `wes deploy FILE` adds one.'
    case 'version_not_found':
      return '`wes versions PROGRAM` lists the versions.'
    case 'program_not_runnable':
      return '`wes versions PROGRAM` shows which versions this service can run.'
    case 'execution_not_found':
      return executionsLike(error.message)
    case 'execution_finished':
      return '`wes run-again ID` starts another Execution with the same input.'
    case 'execution_not_finished':
      return '`wes cancel ID` ends an Execution.'
    case 'version_in_use':
      return error.message.includes('Executions')
        ? '`wes executions --program-id PROGRAM --version N` lists them; `wes executions remove ID…` removes those that have ended.'
        : undefined
    case 'command_not_open':
      return '`wes history ID` shows the numbers of the commands, and which of them have ended.'
    case 'token_not_found':
      return '`wes tokens` lists the tokens with their ids.'
    case 'trigger_not_found':
      return '`wes triggers` lists the Triggers with their ids.'
    case 'idempotency_conflict':
      return 'This key was used for another request in the last 24 hours: choose another one.'
    default:
      return undefined
  }
}

/** No command asks the API for what it does not have. */
const NOT_THE_API =
  'This is probably not the address of the API: check --url, SERVICE_RUNTIME_URL and SERVICE_API_BASE_URL.'

/** `message` quotes the id that the user gave. */
const executionsLike = (message: string): string => {
  const [, id = ''] = /"(.*)"/.exec(message) ?? []
  if (!id.startsWith('exe_')) return 'The id of an Execution begins with exe_. `wes executions` lists the Executions.'
  if (id.length >= EXECUTION_ID_LENGTH) return '`wes executions` lists the Executions.'
  return `This id is incomplete: \`wes executions --q ${shellWord(id)}\` lists the Executions whose ids begin with it.`
}

const EXECUTION_ID_LENGTH = 30

/** For a wait that ended before its Execution. */
export const waitAgain = (id: string): string => `The Execution continues. Wait again with \`${waitCommand(id)}\`.`

export const waitCommand = (id: string): string => `wes result ${shellWord(id)} --wait`

/** As is the address that is used where none is given. A local runtime does not speak TLS. */
const isLocal = (url: string | undefined): boolean => {
  const { protocol, hostname = '' } = URL.parse(url || 'http://localhost') ?? {}
  return protocol === 'http:' && isLoopback(hostname)
}

/** Of a certificate whose signer Node does not know. */
const UNTRUSTED = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER|VERIFY)_.+)$/
const NO_TLS = /^ERR_SSL_WRONG_VERSION_NUMBER$/

/** Whether Node's error, or the one inside, has such a code. */
const hasCode = ({ cause }: ServiceRuntimeError, codes: RegExp): boolean =>
  [cause, cause instanceof Error ? cause.cause : undefined].some(
    (error) => error instanceof Error && 'code' in error && codes.test(String(error.code)),
  )
