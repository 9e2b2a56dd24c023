/** How the names of compiled Programs' files end. */
export const ARTIFACT_SUFFIX = '.program.json'
