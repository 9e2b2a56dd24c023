// Where releases are published. Packaging writes it into the archive, so that on macOS and Windows nobody can change it without
// changing what Electron checks.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'

/** In the archive. */
export const FEED_FILE = 'out/update-feed.json'

const Name = Type.String({ pattern: '^[A-Za-z0-9._-]+$', maxLength: 100 })

export const UpdateFeed = Type.Union([
  Type.Object({ provider: Type.Literal('github'), owner: Name, repo: Name }, { additionalProperties: false }),
  Type.Object(
    { provider: Type.Literal('generic'), url: Type.String({ pattern: '^https://', maxLength: 2_000 }) },
    { additionalProperties: false },
  ),
])
export type UpdateFeed = Static<typeof UpdateFeed>

/** null if the package has none. */
export const readFeed = (appPath: string): UpdateFeed | null => {
  const content: unknown = JSON.parse(readFileSync(join(appPath, FEED_FILE), 'utf8'))
  return Check(UpdateFeed, content) ? content : null
}

/** Whether an address may be loaded: only with encryption, but for a feed on this computer, which tests have. */
export const mayLoad = (url: string, feed: UpdateFeed): boolean => {
  const target = URL.parse(url)
  if (target === null) return false
  if (target.protocol === 'https:') return true
  return feed.provider === 'generic' && target.origin === new URL(feed.url).origin
}
