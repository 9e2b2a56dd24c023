// The request that a snippet sends, and its target.

export type SnippetRequest =
  | {
      readonly kind: 'start'
      readonly programId: string
      /** By default the newest runnable version. */
      readonly version?: number | undefined
      /** undefined for no value. */
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
  /**
   * Whether the service is a hosted one, which needs a token. Snippets then set the environment of clients, with a
   * placeholder for the token: they never contain it.
   */
  readonly needsToken: boolean
  /** The command that runs the command line tool; the default is `wes`. */
  readonly cli?: string
}

/** In place of the token. */
export const TOKEN_PLACEHOLDER = '<your token>'

/** The lines above a program that reads its address and its token from the environment. */
export const environmentComments = ({
  url,
  needsToken,
}: Pick<SnippetTarget, 'url' | 'needsToken'>): readonly string[] =>
  needsToken ? ['// Environment:', `// SERVICE_API_BASE_URL=${url}`, `// SERVICE_TOKEN=${TOKEN_PLACEHOLDER}`, ''] : []
