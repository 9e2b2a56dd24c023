// What the desktop app offers to its page; undefined in a browser.

import type { DesktopApi } from '../src-main/preload/desktop-api.ts'

declare global {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the platform's
  interface Window {
    readonly wesDesktop?: DesktopApi
  }
}

export const desktop: DesktopApi | undefined = globalThis.window?.wesDesktop
export type {
  DesktopApi,
  DesktopCommand,
  FindCommand,
  RuntimeState,
  DesktopSettings,
  Theme,
  Update,
  UpdateChannel,
  Updates,
  UpdateState,
} from '../src-main/preload/desktop-api.ts'
