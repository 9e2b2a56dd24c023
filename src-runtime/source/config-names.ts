/** The files that may hold a project's config: the first that exists does. */
export const CONFIG_NAMES: readonly string[] = [
  'wes.config.ts',
  'wes.config.mts',
  'wes.config.js',
  'wes.config.mjs',
  'wes.config.json',
]
