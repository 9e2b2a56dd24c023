// With a script in place of an AppImage, and the tools of other systems' packages in place of theirs.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { checkPackages } from './check-packages.ts'

const CONFIGURED = '01001100'
const UNSET = '10110001'

const rig = () => {
  const folder = temporaryFolder('check-test')
  const release = join(folder, 'release')
  const bin = join(folder, 'bin')
  for (const made of [release, bin]) mkdirSync(made)
  const script = (file: string, text: string): void => {
    writeFileSync(file, `#!/bin/sh\n${text}\n`)
    chmodSync(file, 0o755)
  }
  /** A binary with these fuses, which answers a smoke test. */
  const electron = (fuses: string, report: string, code: number): string => {
    const mark = 'dL7pKGdnNz796PbbjQWN' + 'KmHXBZaB9tsX'
    const file = join(folder, 'electron')
    script(
      file,
      `echo '${report}'; exit ${code}\n: ${mark}\\001\\010${fuses}`
        .replaceAll('\\001', '\u0001')
        .replaceAll('\\010', '\u0008'),
    )
    return file
  }
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const printed: string[] = []
  const check = (...endings: readonly string[]) => checkPackages(release, (line) => void printed.push(line), endings)
  return { release, bin, script, electron, printed, check }
}

const NAME = 'workflow-execution-service-app'
const PRODUCT = 'Workflow Execution Service'

/** Extracts itself, or is the app. */
const appImage = (electron: string): string =>
  `if [ "$1" = --appimage-extract ]; then mkdir squashfs-root; cp '${electron}' squashfs-root/${NAME}; exit; fi
[ "$*" = "--appimage-extract-and-run --no-sandbox --smoke-test" ] || exit 9
exec '${electron}' "$@"`

describe.skipIf(process.platform === 'win32')('the check of packages', () => {
  it('refuses a package that could not update itself', async () => {
    const { release, script, electron } = rig()
    script(join(release, 'a.AppImage'), appImage(electron(CONFIGURED, '{"ok":true}', 0)))
    const feed = { provider: 'github', owner: 'acme', repo: 'wes' } as const
    await expect(checkPackages(release, () => undefined, ['.AppImage'], feed)).rejects.toThrow(
      'app-update.yml is missing',
    )
  })

  it('reads the fuses of an AppImage and starts its smoke test, also of two', async () => {
    const { release, script, electron, printed, check } = rig()
    for (const name of ['a', 'b']) {
      script(join(release, `${name}.AppImage`), appImage(electron(CONFIGURED, '{"ok":true}', 0)))
    }
    await check('.AppImage')
    expect(printed.toSorted()).toEqual(
      ['a', 'b'].map((name) => `${join(release, name)}.AppImage: fuses as configured; {"ok":true}`),
    )
  })

  it('shows the report of a smoke test that failed', async () => {
    const { release, script, electron, check } = rig()
    script(join(release, 'a.AppImage'), appImage(electron(CONFIGURED, '{"ok":false,"problem":"a file changed"}', 1)))
    await expect(check('.AppImage')).rejects.toThrow(
      `${join(release, 'a.AppImage')}: the smoke test failed (exit code 1): {"ok":false,"problem":"a file changed"}`,
    )
  })

  it('refuses other fuses, and a package that is missing', async () => {
    const { release, script, electron, check } = rig()
    script(join(release, 'a.AppImage'), appImage(electron(UNSET, '{"ok":true}', 0)))
    await expect(check('.AppImage')).rejects.toThrow('a.AppImage: the fuse runAsNode is not off; ')
    await expect(check('.deb')).rejects.toThrow(`${release} has no .deb`)
  })

  it('copies the app out of a macOS image, and extracts a zip', async () => {
    const { release, bin, script, electron, printed, check } = rig()
    const binary = electron(CONFIGURED, '{"ok":true}', 0)
    const frameworks = 'Contents/Frameworks/Electron Framework.framework'
    const layOut = `mkdir -p "$target/${PRODUCT}.app/Contents/MacOS" "$target/${PRODUCT}.app/${frameworks}"
cp '${binary}' "$target/${PRODUCT}.app/Contents/MacOS/${PRODUCT}"
cp '${binary}' "$target/${PRODUCT}.app/${frameworks}/Electron Framework"`
    script(join(bin, 'hdiutil'), `if [ "$1" = attach ]; then target="$6"; ${layOut.replaceAll('\n', '; ')}; fi`)
    script(
      join(bin, 'ditto'),
      `if [ "$1" = -x ]; then target="$4"; ${layOut.replaceAll('\n', '; ')}; else cp -r "$1" "$2"; fi`,
    )
    for (const name of ['a.dmg', 'a.zip']) writeFileSync(join(release, name), '')
    await check('.dmg', '.zip')
    expect(printed).toHaveLength(2)
  })
})
