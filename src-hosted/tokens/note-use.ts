import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { AccessStore } from '../store/tenancy.ts'

const MINUTE_MS = 60_000
const MOST_KEPT = 10_000

/** Writes down when a token is used, once for each minute, behind the request that uses it; if that fails, behind the next one. */
export const createNoteUse = (
  access: Pick<AccessStore, 'noteUse'>,
  now: () => number,
  onError: (error: unknown) => void,
): ((tokenId: string) => void) => {
  const noted = new Map<string, number>()
  return (tokenId) => {
    const minute = Math.floor(now() / MINUTE_MS)
    if (noted.get(tokenId) === minute) return
    noted.set(tokenId, minute)
    forgetOldest(noted, MOST_KEPT)
    access.noteUse(tokenId).catch((error: unknown) => {
      if (noted.get(tokenId) === minute) noted.delete(tokenId)
      onError(error)
    })
  }
}
