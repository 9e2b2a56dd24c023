// The messages for the operator when something on the service's database cannot be done.

import { ApiError } from '../../src-runtime/contract/errors.ts'
import { DataDirectoryInUseError } from '../../src-runtime/shared/runtime.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { SecretKeyError } from '../environment/secret-keys.ts'
import { WorkspaceError, WorkspaceRemovedError } from '../tokens/issue-token.ts'
import { NoServiceDataError, UnusableDatabaseError } from './open-operated-store.ts'

export type Fault = { readonly code: string; readonly message: string }

/** Undefined for what nobody expects. */
export const faultOf = (error: unknown): Fault | undefined => {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  return code === undefined ? undefined : { code, message: error.message }
}

const codeOf = (error: Error): string | undefined => {
  if (error instanceof ApiError) return error.code
  if (error instanceof WorkspaceError) return 'workspace_not_found'
  if (error instanceof WorkspaceRemovedError) return 'workspace_removed'
  if (error instanceof SecretKeyError) return 'secret_key'
  if (error instanceof NoServiceDataError) return 'no_service_data'
  if (error instanceof DataDirectoryInUseError) return 'data_directory_in_use'
  if (error instanceof StoreUnavailableError) return 'unavailable'
  return error instanceof UnusableDatabaseError ? 'database_unusable' : undefined
}
