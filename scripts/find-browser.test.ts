import { describe, expect, it } from 'vitest'
import { chooseBrowser, chooseHeadlessBrowser, findBrowser, type Places } from './find-browser.ts'

const places = (there: readonly string[], changes: Partial<Places> = {}): Places => ({
  platform: 'linux',
  env: { PATH: '/home/ada/bin:relative:/usr/bin' },
  home: '/home/ada',
  ownDownload: () => '/cache/playwright/chrome',
  isExecutable: (path) => there.includes(path),
  ...changes,
})

describe('the browser for tests', () => {
  it('is the one that WES_CHROMIUM names', () => {
    const env = { WES_CHROMIUM: '/my/chromium' }
    expect(chooseBrowser(places(['/my/chromium', '/cache/playwright/chrome'], { env }))).toBe('/my/chromium')
  })

  it('is an error if WES_CHROMIUM names a missing file', () => {
    const env = { WES_CHROMIUM: '/my/typo', PATH: '/usr/bin' }
    expect(() => chooseBrowser(places(['/usr/bin/chromium'], { env }))).toThrow('WES_CHROMIUM is /my/typo')
  })

  it("is Playwright's download if it exists, because Playwright was tested with it", () => {
    expect(chooseBrowser(places(['/usr/bin/chromium', '/cache/playwright/chrome']))).toBe('/cache/playwright/chrome')
  })

  it.each<[string, string, Partial<Places>]>([
    ['/home/ada/bin/chromium', 'in PATH', {}],
    ['/usr/bin/google-chrome', 'in a usual folder', { env: {} }],
    ['/snap/bin/chromium', 'as a snap', { env: {} }],
    ['/opt/google/chrome/chrome', 'in /opt', {}],
    ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', 'on macOS', { platform: 'darwin' }],
    ['/home/ada/Applications/Chromium.app/Contents/MacOS/Chromium', "in a user's own folder", { platform: 'darwin' }],
    [
      String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
      'on Windows',
      { platform: 'win32', env: { 'PROGRAMFILES(X86)': String.raw`C:\Program Files (x86)` } },
    ],
  ])('is %s, %s', (path, _where, changes) => {
    expect(chooseBrowser(places([path], changes))).toBe(path)
  })

  it('is undefined if there is none', () => {
    expect(chooseBrowser(places([], { ownDownload: () => undefined }))).toBeUndefined()
    expect(chooseBrowser(places(['relative/chromium', 'chromium']))).toBeUndefined()
  })

  it('is searched on this machine without an error', () => {
    expect(findBrowser).not.toThrow()
  })
})

describe('the headless browser for tests', () => {
  const shell = '/usr/lib/chromium/chromium-headless-shell'

  it("is Debian's headless shell if it is installed", () => {
    expect(chooseHeadlessBrowser(places([shell, '/usr/bin/chromium', '/cache/playwright/chrome']))).toBe(shell)
  })

  it('is the browser otherwise, and the one that WES_CHROMIUM names', () => {
    expect(chooseHeadlessBrowser(places(['/usr/bin/chromium']))).toBe('/usr/bin/chromium')
    const env = { WES_CHROMIUM: '/my/chromium' }
    expect(chooseHeadlessBrowser(places(['/my/chromium', shell], { env }))).toBe('/my/chromium')
  })
})
