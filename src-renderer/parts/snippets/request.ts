// What a snippet does, and to which service.

export type SnippetRequest =
  | {
      readonly kind: 'start'
      readonly programId: string
      /** Left out: the newest that can run. */
      readonly version?: number | undefined
      /** undefined: none is given. */
      readonly input: unknown
      readonly idempotencyKey?: string | undefined
    }
  | { readonly kind: 'read'; readonly executionId: string }
  | { readonly kind: 'send-event'; readonly executionId: string; readonly name: string; readonly payload: unknown }

export type SnippetTarget = {
  /** Without a slash at its end. */
  readonly url: string
  /** undefined: the default project. */
  readonly projectId: string | undefined
  /** A hosted service wants one; snippets take it from the environment and never hold it. */
  readonly needsToken: boolean
  /** How the command line tool is called; `wes` unless given. */
  readonly cli?: string
}

/** Where everything looks by itself. */
export const DEFAULT_URL = 'http://localhost:3477'
