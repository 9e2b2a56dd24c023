// What operations of the hosted service depend on, bound to the workspace of one caller.

import type { Limits } from '../../src-runtime/contract/access-models.ts'
import type { OperationPorts } from '../../src-runtime/ports/operation-ports.ts'
import type { HostedPrincipal } from '../tokens/principal.ts'
import type { SecretKeys } from '../environment/secret-keys.ts'
import type { TenantStore } from '../store/tenancy.ts'

export type HostedPorts = OperationPorts & {
  readonly principal: HostedPrincipal
  readonly tenant: TenantStore
  readonly limits: Limits
  readonly secrets: SecretKeys
  /** Where webhooks are called, without a slash at the end. */
  readonly hooksUrl: string
  /** The token is not valid any more: forgets what this process remembers of it. */
  readonly forgetToken: (tokenId: string) => void
}
