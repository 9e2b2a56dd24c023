// Decides between desktop window and browser. Pure.

import type { ElectronBinary } from './electron-binary.ts'
import type { StartOptions } from './start-options.ts'

export type Machine = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Undefined on platforms without user ids. */
  readonly userId: number | undefined
  readonly restrictsUserNamespaces: boolean
  /** Whether Chromium's setuid helper is beside the binary and belongs to root. */
  readonly hasSandboxHelper: boolean
}

export type Home =
  | { readonly kind: 'desktop'; readonly executable: string }
  /** The binary has to be downloaded first. */
  | { readonly kind: 'download'; readonly version: string; readonly why: string }
  | WithoutDesktop

/** `why`: the reason; undefined if no window was requested. */
export type WithoutDesktop =
  | { readonly kind: 'browser'; readonly why: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }

export const chooseHome = (wanted: StartOptions['home'], machine: Machine, electron: ElectronBinary): Home => {
  if (wanted === 'browser') return { kind: 'browser', why: undefined }
  const obstacle = obstacleToWindows(machine)
  if (obstacle !== undefined) return withoutDesktop(wanted, obstacle)
  switch (electron.kind) {
    case 'ready':
      return { kind: 'desktop', executable: electron.executable }
    case 'missing':
      if (isCi(machine.env) && wanted !== 'desktop') return withoutDesktop(wanted, `${electron.why}, and this is CI`)
      return { kind: 'download', version: electron.version, why: electron.why }
    case 'not-installed':
      return withoutDesktop(wanted, electron.why)
  }
}

/** With --desktop, a missing window is an error. */
export const withoutDesktop = (wanted: StartOptions['home'], why: string): WithoutDesktop =>
  wanted === 'desktop' ? { kind: 'refused', why } : { kind: 'browser', why }

/** Never disables Chromium's sandbox to get a window. */
const obstacleToWindows = (machine: Machine): string | undefined => {
  const { env, platform, userId } = machine
  if (env['RUNTIME_NO_ELECTRON']) return 'RUNTIME_NO_ELECTRON is set'
  if (platform !== 'linux') return undefined
  if (!hasDisplay(env)) return 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  if (userId === 0) return 'Chromium does not run sandboxed as root'
  if (machine.restrictsUserNamespaces && !machine.hasSandboxHelper) {
    return "this system forbids Chromium's sandbox to programs that are not installed (AppArmor, kernel.apparmor_restrict_unprivileged_userns)"
  }
  return undefined
}

export const hasDisplay = (env: Machine['env']): boolean => Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])

export const isCi = (env: Machine['env']): boolean => Boolean(env['CI']) && env['CI'] !== 'false'
