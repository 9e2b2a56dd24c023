// Decides which version a start runs. Pure.

import type { ProgramVersion } from '#sdk/index.ts'

/** `newest`: the service picks the newest runnable version. */
export type VersionChoice = number | 'newest'

/** Versions come newest first. */
export const newestRunnable = (versions: readonly ProgramVersion[]): ProgramVersion | undefined =>
  versions.find((version) => version.runnable)

export const chosenVersion = (versions: readonly ProgramVersion[], choice: VersionChoice): ProgramVersion | undefined =>
  choice === 'newest' ? newestRunnable(versions) : versions.find((version) => version.number === choice)

/** Why a version cannot be started; undefined when it can. */
export const versionCannot = (
  version: Pick<ProgramVersion, 'runnable' | 'origin' | 'hasEffects'>,
): string | undefined => {
  if (version.runnable) return undefined
  if (version.origin === 'source') return 'its source is missing'
  return version.hasEffects ? 'uploaded effects do not run here' : 'cannot run here'
}

/** The notice when "Run again" would use another version than the original's. */
export const versionNotice = (
  own: number,
  versions: readonly ProgramVersion[],
  choice: VersionChoice,
): { readonly chosen: number; readonly ownCanRun: boolean } | undefined => {
  const chosen = chosenVersion(versions, choice)
  if (chosen === undefined || chosen.number === own) return undefined
  return { chosen: chosen.number, ownCanRun: versions.some((version) => version.number === own && version.runnable) }
}
