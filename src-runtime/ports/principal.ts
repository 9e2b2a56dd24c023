import type { Role } from '../contract/operation-spec.ts'

/** Who sends a request. All that the request may see and do lies in this workspace. */
export type Principal = {
  readonly workspaceId: string
  readonly tokenId: string
  readonly role: Role
}
