import { describe, expect, it } from 'vitest'
import { whyNoUpdates, type InstallationFacts } from './self-updating.ts'

const MOUNT = '/tmp/.mount_wes123'
const APP_IMAGE: InstallationFacts = {
  platform: 'linux',
  env: { APPIMAGE: '/home/ada/Apps/wes.AppImage', APPDIR: MOUNT },
  isPackaged: true,
  hasFeed: true,
  noUpdates: false,
  execPath: `${MOUNT}/workflow-execution-service-app`,
  packageType: null,
  isFromStore: false,
  mayWrite: () => true,
}
const why = (facts: Partial<InstallationFacts>) => whyNoUpdates({ ...APP_IMAGE, ...facts })
const INSTALLED = { env: {}, execPath: '/opt/Workflow Execution Service/workflow-execution-service-app' }
const PACKAGE_MANAGER = 'Updates are installed by your package manager.'

describe('the app', () => {
  it('updates itself as an AppImage, and installed on macOS and Windows', () => {
    expect(why({})).toBeNull()
    // The deb's file may lie in the folder that the AppImage is made from.
    expect(why({ packageType: 'deb' })).toBeNull()
    expect(
      why({ platform: 'win32', env: {}, execPath: 'C:\\Users\\ada\\AppData\\Local\\Programs\\wes.exe' }),
    ).toBeNull()
    expect(why({ platform: 'darwin', env: {}, execPath: '/Applications/wes.app/Contents/MacOS/wes' })).toBeNull()
  })

  it.each(['deb', 'rpm', 'pacman'])('leaves updates of a %s to the package manager', (packageType) => {
    expect(why({ ...INSTALLED, packageType })).toBe(PACKAGE_MANAGER)
  })

  it('does not take the AppImage of another program for its own', () => {
    const env = { APPIMAGE: '/home/ada/Apps/terminal.AppImage', APPDIR: '/tmp/.mount_terminal' }
    expect(why({ ...INSTALLED, env, packageType: 'deb' })).toBe(PACKAGE_MANAGER)
    expect(why({ ...INSTALLED, env })).toMatch(/in the way it was installed/)
    expect(why({ env: { ...env, APPIMAGE: 'relative' } })).toMatch(/in the way it was installed/)
  })

  it('leaves updates to the store, but not because a Snap’s terminal started it', () => {
    expect(why({ isFromStore: true })).toMatch(/store/)
    expect(why({ env: { FLATPAK_ID: 'x' } })).toMatch(/store/)
    expect(why({ env: { SNAP: '/snap/wes/1' }, execPath: '/snap/wes/1/wes' })).toMatch(/store/)
    expect(why({ env: { ...APP_IMAGE.env, SNAP: '/snap/code/1' } })).toBeNull()
  })

  it('says what it may not write to', () => {
    expect(why({ mayWrite: () => false })).toMatch('may not write to /home/ada/Apps')
  })

  it.each(['/Volumes/wes/wes.app', '/private/var/folders/x/AppTranslocation/y/wes.app'])(
    'does not update itself on macOS at %s',
    (execPath) => expect(why({ platform: 'darwin', env: {}, execPath })).toMatch(/Applications folder/),
  )

  it('is updated with git in a checkout, but for tests that give a feed', () => {
    expect(why({ isPackaged: false, hasFeed: false })).toMatch(/source checkout/)
    expect(why({ isPackaged: false })).toBeNull()
  })

  it('does not update itself without a feed, or where an administrator says so', () => {
    expect(why({ hasFeed: false })).toMatch(/does not say/)
    expect(why({ noUpdates: true })).toMatch(/turned off/)
  })
})
