// The packaging configuration against electron-builder's schema and against what it packages. scripts/package tests what comes
// out of it.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { APP_ID, APP_NAME, NOTIFICATION_CLASS } from './app-identity.ts'
import { autostartFile } from './lifecycle/start-at-login.ts'
import { DEEP_LINK_SCHEME } from './links/deep-link.ts'
import { RUN_FILE_ENDING } from './links/run-file.ts'
import { UNPACKED_LIST } from './unpacked-files.ts'

const ROOT = join(import.meta.dirname, '..')

type Configuration = {
  readonly appId: string
  readonly productName: string
  readonly files: readonly unknown[]
  readonly electronFuses: Readonly<Record<string, boolean>>
  readonly protocols: readonly { readonly schemes: readonly string[] }[]
  readonly fileAssociations: readonly { readonly ext: string }[]
  readonly nsis: { readonly include: string }
  readonly toolsets: Readonly<Record<string, string>>
} & Readonly<Record<'linux' | 'mac' | 'win', { readonly icon: string; readonly target: readonly unknown[] }>>

const read = (): Configuration => parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as Configuration

/** electron-builder's own check, which needs no network. */
const validate = async (configuration: object): Promise<void> => {
  const require = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
  const { validateConfiguration } = require('app-builder-lib/out/util/config/config') as {
    validateConfiguration(configuration: object, debugLogger: { add(): void }): Promise<void>
  }
  await validateConfiguration(configuration, { add: () => undefined })
}

describe('the package of the desktop app', () => {
  it('is configured as electron-builder’s schema says', async () => {
    await validate(read())
    await expect(validate({ ...read(), asarUnpak: [] })).rejects.toThrow(/unknown property 'asarUnpak'/)
    const electronFuses = { ...read().electronFuses, runAsNode: 'no' }
    await expect(validate({ ...read(), electronFuses })).rejects.toThrow(/electronFuses/)
  })

  it('is made for Linux, macOS and Windows', () => {
    const { linux, mac, win } = read()
    expect(linux.target).toEqual(['AppImage', 'deb'])
    expect(mac.target).toEqual([{ target: 'dmg' }, { target: 'zip' }])
    expect(win.target).toEqual(['nsis'])
  })

  it('is an AppImage that needs no libfuse2', () => {
    expect(read().toolsets).toEqual({ appimage: '1.0.3' })
  })

  it('has the app’s name', () => {
    const { appId, productName, protocols, fileAssociations } = read()
    expect([appId, productName]).toEqual([APP_ID, APP_NAME])
    expect(protocols.map(({ schemes }) => schemes)).toEqual([[DEEP_LINK_SCHEME]])
    expect(fileAssociations.map(({ ext }) => `.${ext}`)).toEqual([RUN_FILE_ENDING])
  })

  it('is the app of its entry in Linux’s menus, and of its windows', () => {
    const { desktopName } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { desktopName: string }
    expect(basename(autostartFile('/home/x/.config'))).toBe(desktopName)
    expect(read().linux).toMatchObject({ syncDesktopName: true, maintainer: expect.stringMatching(/<.+@.+>$/) })
  })

  it('leaves no registration of its links and notifications when it is uninstalled on Windows', () => {
    const include = readFileSync(join(ROOT, read().nsis.include), 'utf8')
    expect(include).toContain(`DeleteRegKey HKCU "Software\\Classes\\${DEEP_LINK_SCHEME}"`)
    expect(include).toContain(`DeleteRegKey HKCU "Software\\Classes\\CLSID\\${NOTIFICATION_CLASS}"`)
  })

  it('has its icons', () => {
    const { linux, mac, win } = read()
    for (const icon of [linux.icon, mac.icon, win.icon, 'tray.png', 'trayTemplate@2x.png']) {
      expect(existsSync(join(ROOT, 'resources/icons', icon))).toBe(true)
    }
  })

  // `npm install` would fail otherwise, or install what somebody else has published under the name.
  it('has a sample that needs published packages only', () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'examples/project/package.json'), 'utf8'),
    ) as Readonly<Partial<Record<'dependencies' | 'devDependencies', object>>>
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(['zod'])
  })

  it('has its licence, and the hashes of the files beside the archive, in the archive', () => {
    expect(read().files).toEqual(expect.arrayContaining(['LICENSE', UNPACKED_LIST]))
  })

  it('cannot be run as another program', () => {
    expect(read().electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    })
  })
})
