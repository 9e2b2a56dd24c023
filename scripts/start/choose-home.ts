// Desktop window or browser: decided from what was found out about the machine, without touching it.

import type { ElectronBinary } from './electron-binary.ts'
import type { Wish } from './read-wish.ts'

export type Machine = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Undefined where there are none. */
  readonly userId: number | undefined
  readonly restrictsUserNamespaces: boolean
  /** Whether Chromium's set-user-id helper is beside the binary and belongs to root. */
  readonly hasSandboxHelper: boolean
}

export type Home =
  | { readonly kind: 'desktop'; readonly executable: string }
  /** The binary has to be downloaded first. */
  | { readonly kind: 'download'; readonly version: string; readonly why: string }
  | WithoutDesktop

/** `why` there is no desktop window; undefined when none was wanted. */
export type WithoutDesktop =
  | { readonly kind: 'browser'; readonly why: string | undefined }
  | { readonly kind: 'refused'; readonly why: string }

export const chooseHome = (wish: Wish['home'], machine: Machine, electron: ElectronBinary): Home => {
  if (wish === 'browser') return { kind: 'browser', why: undefined }
  const obstacle = obstacleToWindows(machine)
  if (obstacle !== undefined) return withoutDesktop(wish, obstacle)
  switch (electron.kind) {
    case 'ready':
      return { kind: 'desktop', executable: electron.executable }
    case 'missing':
      if (isCi(machine.env) && wish !== 'desktop') return withoutDesktop(wish, `${electron.why}, and this is CI`)
      return { kind: 'download', version: electron.version, why: electron.why }
    case 'not-installed':
      return withoutDesktop(wish, electron.why)
  }
}

/** Who insists on a window gets none instead of something else. */
export const withoutDesktop = (wish: Wish['home'], why: string): WithoutDesktop =>
  wish === 'desktop' ? { kind: 'refused', why } : { kind: 'browser', why }

/** Never gone around: a window without Chromium's sandbox is not what anybody asked for. */
const obstacleToWindows = (machine: Machine): string | undefined => {
  const { env, platform, userId } = machine
  if (env['RUNTIME_NO_ELECTRON']) return 'RUNTIME_NO_ELECTRON is set'
  if (platform !== 'linux') return undefined
  if (!hasDisplay(env)) return 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  if (userId === 0) return 'Chromium does not run sandboxed as root'
  if (machine.restrictsUserNamespaces && !machine.hasSandboxHelper) {
    return "this system keeps Chromium's sandbox from programs that are not installed (AppArmor, kernel.apparmor_restrict_unprivileged_userns)"
  }
  return undefined
}

export const hasDisplay = (env: Machine['env']): boolean => Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])

export const isCi = (env: Machine['env']): boolean => Boolean(env['CI']) && env['CI'] !== 'false'
