// What belongs to one workspace, beside its Programs and Executions.

import { createEnvironmentStore } from './environment.ts'
import type { Scope } from './scope.ts'
import type { TenantStore } from './tenancy.ts'
import { createTokenStore } from './tokens.ts'
import { createTriggerStore } from './triggers.ts'
import { createUsageReads } from './usage.ts'
import { createOwnWorkspace } from './workspaces.ts'

export const createTenantStore = (scope: Scope): TenantStore => ({
  ...createOwnWorkspace(scope),
  tokens: createTokenStore(scope),
  triggers: createTriggerStore(scope),
  environment: createEnvironmentStore(scope),
  usage: createUsageReads(scope),
})
