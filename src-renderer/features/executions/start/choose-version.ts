// Which version a start runs. Pure.

import type { ProgramVersion } from '#sdk/index.ts'

/** `newest`: the newest that can run here, left to the service to pick. */
export type VersionChoice = number | 'newest'

/** Versions come newest first. */
export const newestRunnable = (versions: readonly ProgramVersion[]): ProgramVersion | undefined =>
  versions.find((version) => version.runnable)

export const chosenVersion = (versions: readonly ProgramVersion[], choice: VersionChoice): ProgramVersion | undefined =>
  choice === 'newest' ? newestRunnable(versions) : versions.find((version) => version.number === choice)

/** Why a version cannot be started; undefined when it can. */
export const versionCannot = (version: Pick<ProgramVersion, 'runnable' | 'hasEffects'>): string | undefined => {
  if (version.runnable) return undefined
  return version.hasEffects ? 'uploaded effects do not run here' : 'cannot run here'
}

/** What to say when an Execution is run again with another version than its own. */
export const versionNotice = (
  own: number,
  versions: readonly ProgramVersion[],
  choice: VersionChoice,
): { readonly chosen: number; readonly ownCanRun: boolean } | undefined => {
  const chosen = chosenVersion(versions, choice)
  if (chosen === undefined || chosen.number === own) return undefined
  return { chosen: chosen.number, ownCanRun: versions.some((version) => version.number === own && version.runnable) }
}
