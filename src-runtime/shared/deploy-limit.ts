/** The body of a deploy: an artifact, as JSON without spaces. */
export const DEPLOY_BODY_LIMIT_BYTES = 16 * 1024 * 1024
