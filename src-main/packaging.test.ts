// The packaging configuration against what it packages. Nothing is packaged here: that takes a network.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { APP_ID, APP_NAME } from './app-identity.ts'
import { DEEP_LINK_SCHEME } from './links/deep-link.ts'
import { RUN_FILE_ENDING } from './links/run-file.ts'

const ROOT = join(import.meta.dirname, '..')
const text = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')

/** Of a key whose value is plain. */
const value = (key: string): string | undefined => new RegExp(`^[ -]*${key}: (.+)$`, 'm').exec(text)?.[1]
/** The items below a key. */
const list = (key: string): readonly string[] => {
  const [, items = ''] = new RegExp(`^${key}:\\n((?: +.*\\n)+)`, 'm').exec(text) ?? []
  return [...items.matchAll(/^ +- '?([^'\n]+)'?$/gm)].map(([, item]) => item ?? '')
}

describe('the package of the desktop app', () => {
  it('has the app’s name', () => {
    expect([value('appId'), value('productName')]).toEqual([APP_ID, APP_NAME])
    expect([value('schemes'), `.${value('ext')}`]).toEqual([`[${DEEP_LINK_SCHEME}]`, RUN_FILE_ENDING])
  })

  it('has its icons', () => {
    const icons = [...text.matchAll(/^ {2}icon: (.+)$/gm)].map(([, icon]) => icon ?? '')
    expect(icons).toHaveLength(3)
    for (const icon of [...icons, 'tray.png', 'trayTemplate@2x.png']) {
      expect(existsSync(join(ROOT, 'resources/icons', icon))).toBe(true)
    }
  })

  it('unpacks files that other programs run: the hosts and their packages', () => {
    const unpacked = list('asarUnpack')
    expect(unpacked).toContain('out/main/**')
    const spawn = readFileSync(join(ROOT, 'src-runtime/sandbox/spawn-host.ts'), 'utf8')
    const told = [...spawn.matchAll(/import\.meta\.resolve\('((?:@[^/']+\/)?[^/']+)/g)].map(([, name]) => name ?? '')
    expect(told.length).toBeGreaterThan(2)
    for (const name of [...told, 'esbuild', '@esbuild/x']) {
      const folder = `node_modules/${name.startsWith('@') ? name.split('/')[0] : name}`
      expect(unpacked).toContain(`${folder}/**`)
      expect(existsSync(join(ROOT, folder))).toBe(true)
    }
  })

  it('cannot be run as another program', () => {
    for (const fuse of ['runAsNode', 'enableNodeOptionsEnvironmentVariable', 'enableNodeCliInspectArguments']) {
      expect(value(fuse)).toBe('false')
    }
    expect(value('onlyLoadAppFromAsar')).toBe('true')
  })
})
