// Whether this copy of the app may replace itself. Who installed it by other means updates it by them. Pure.

import { posix } from 'node:path'
import { isWithin, ownAppImage } from '../lifecycle/own-command.ts'

export type InstallationFacts = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isPackaged: boolean
  readonly hasFeed: boolean
  /** An administrator has turned updates off. */
  readonly noUpdates: boolean
  /** The executable. */
  readonly execPath: string
  /** `resources/package-type`, which packages for Linux have. */
  readonly packageType: string | null
  /** From Apple's or Microsoft's store. */
  readonly isFromStore: boolean
  readonly mayWrite: (folder: string) => boolean
}

const PACKAGE_MANAGER = 'Updates are installed by your package manager.'
const STORE = 'Updates are installed by the store.'

/** A sentence; null if the app may update itself. */
export const whyNoUpdates = (facts: InstallationFacts): string | null => {
  const { env, platform, execPath } = facts
  if (facts.noUpdates) return 'Updates are turned off on this computer (WES_NO_UPDATES).'
  if (!facts.isPackaged && !facts.hasFeed) return 'This is a source checkout, which is updated with git.'
  if (facts.isFromStore) return STORE
  // Programs that are started from a Snap's terminal have its variables, too.
  if (env['FLATPAK_ID'] || isWithin(execPath, env['SNAP'])) return STORE
  if (platform === 'linux') {
    const reason = whyNotOnLinux(facts)
    if (reason !== null) return reason
  }
  if (platform === 'darwin' && /^\/Volumes\/|\/AppTranslocation\//.test(execPath)) {
    return 'Move the app to the Applications folder, so that it can update itself.'
  }
  return facts.hasFeed ? null : 'This build does not say where its updates are.'
}

const whyNotOnLinux = ({ env, execPath, packageType, mayWrite }: InstallationFacts): string | null => {
  const file = ownAppImage({ env, execPath })
  if (file === undefined) {
    return packageType === null ? 'This copy is updated in the way it was installed.' : PACKAGE_MANAGER
  }
  const folder = posix.dirname(file)
  return mayWrite(folder) ? null : `The app cannot update itself, because you may not write to ${folder}.`
}
