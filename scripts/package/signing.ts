// Which signatures electron-builder makes, by the secrets that are given. None is needed: without them packages are made
// without a signature, and a line says so.

export type Signing = {
  /** Arguments for electron-builder. */
  readonly args: readonly string[]
  /** Variables that electron-builder must not see: it takes an empty one for a setting. */
  readonly unset: readonly string[]
  readonly set: Readonly<Record<string, string>>
  readonly lines: readonly string[]
}

const CERTIFICATE = ['CSC_LINK', 'CSC_KEY_PASSWORD'] as const
/** APPLE_API_KEY is the path of the key's file. */
const NOTARY = ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'] as const

type Environment = Readonly<Record<string, string | undefined>>

/** All of them are given, or none; a part of them is a mistake. */
const areGiven = (names: readonly string[], env: Environment): boolean => {
  const missing = names.filter((name) => !env[name])
  if (missing.length > 0 && missing.length < names.length) {
    throw new Error(`${missing.join(' and ')} must be set too, or none of ${names.join(', ')}`)
  }
  return missing.length === 0
}

export const chooseSigning = (platform: NodeJS.Platform, env: Environment): Signing => {
  const isMac = platform === 'darwin'
  const [isSigned, isNotarized] = [areGiven(CERTIFICATE, env), areGiven(NOTARY, env)]
  if (isMac && isNotarized && !isSigned) throw new Error('Apple notarises signed apps only: CSC_LINK must be set')
  const unset = [...(isSigned ? [] : CERTIFICATE), ...(isNotarized ? [] : NOTARY)]
  const set = {
    // Otherwise electron-builder signs nothing in a pull request's run, also without a certificate.
    CSC_FOR_PULL_REQUEST: 'true',
    // It uses no certificate but the one that it is given.
    ...(!isSigned && { CSC_IDENTITY_AUTO_DISCOVERY: 'false' }),
  }
  if (platform === 'linux') return { args: [], unset, set, lines: ['Packages for Linux have no signature.'] }
  // macOS on ARM runs no app without a signature, so it gets one that names nobody.
  const args = isMac
    ? [...(isSigned ? [] : ['-c.mac.identity=-']), ...(isNotarized ? [] : ['-c.mac.notarize=false'])]
    : []
  return {
    args,
    unset,
    set,
    lines: [
      isSigned ? 'The packages are signed.' : 'Signing is skipped: CSC_LINK is not set.',
      ...(isMac
        ? [isNotarized ? 'Apple notarises the app.' : 'Notarisation is skipped: APPLE_API_KEY is not set.']
        : []),
    ],
  }
}
