// Finds the Electron binary on disk. Does not load the `electron` package, because that would start a download.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isExecutable } from '../is-executable.ts'

export type ElectronBinary =
  | { readonly kind: 'ready'; readonly executable: string }
  | { readonly kind: 'missing'; readonly version: string; readonly why: string }
  | { readonly kind: 'not-installed'; readonly why: string }

type Where = {
  /** The folder of the `electron` package. */
  readonly folder: string
  readonly platform: NodeJS.Platform
  /** The value of ELECTRON_OVERRIDE_DIST_PATH, which overrides the folder of the binary. */
  readonly distFolder: string | undefined
}

export const findElectronBinary = ({ folder, platform, distFolder }: Where): ElectronBinary => {
  const version = versionOf(folder)
  if (version === undefined) return { kind: 'not-installed', why: 'the electron package is not installed' }
  const dist = distFolder || join(folder, 'dist')
  const executable = [join(dist, executableName(platform)), join(dist, 'electron')].find(isExecutable)
  if (executable === undefined) return missing(version, `the Electron ${version} binary is not downloaded`)
  const found = readText(join(dist, 'version'))?.trim().replace(/^v/, '')
  if (found === undefined || found === version) return { kind: 'ready', executable }
  return missing(version, `Electron ${found} is installed, but ${version} is needed`)
}

const missing = (version: string, why: string): ElectronBinary => ({ kind: 'missing', version, why })

const executableName = (platform: NodeJS.Platform): string => {
  if (platform === 'win32') return 'electron.exe'
  return platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
}

const versionOf = (folder: string): string | undefined => {
  const text = readText(join(folder, 'package.json'))
  return text === undefined ? undefined : (JSON.parse(text) as { readonly version: string }).version
}

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
