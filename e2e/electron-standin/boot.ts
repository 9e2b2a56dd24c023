// Runs an app like Electron's main process: the required modules, the app's entry, and then `ready`.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openBrowser } from './browser.ts'
import { openCdp } from './cdp.ts'
import { startChromium } from './chromium.ts'
import { electronVersion, readCommandLine, readInstalledCommandLine } from './command-line.ts'
import { hostRules, serveSchemes } from './custom-schemes.ts'
import { announceReady, app } from './modules/app.ts'
import { refuseArchivedFiles } from './archived-files.ts'
import { DISPLAY_SIZE } from './modules/screen.ts'
import { schemeHandlers, schemes, setAppFacts, setGiven, setRunning, switches } from './running.ts'

const ENTRY_LIMIT_MS = 8_000
const DISABLED_FEATURES = [
  // As in Electron (shell/browser/feature_list.cc).
  'LocalNetworkAccessChecks',
  // Disables pages of Chrome's address bar, which cost more than the rest of a start.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]
/** Switches of the stand-in, merged with the app's values. */
const OWN_SWITCHES = new Set(['disable-features', 'host-resolver-rules', 'remote-debugging-port', 'user-data-dir'])

const executable = process.env['STANDIN_INSTALLED_AS']
const launch =
  executable === undefined
    ? readCommandLine(process.argv.slice(2))
    : readInstalledCommandLine(executable, process.argv.slice(2))
becomeElectron()
setAppFacts(launch.facts)
setGiven(launch.args)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())
// An app without a window lives until it quits.
setInterval(() => {}, 2 ** 30)
const require = createRequire(import.meta.url)
for (const module of launch.required) require(module)
await loadEntry(launch.entry)
await start()

function becomeElectron(): void {
  delete process.env['STANDIN_INSTALLED_AS']
  if (executable === undefined) {
    const dist = join(import.meta.dirname, 'dist')
    Object.assign(process, {
      defaultApp: true,
      execPath: join(dist, 'electron'),
      resourcesPath: join(dist, 'resources'),
    })
  } else {
    // Without the fuse `runAsNode` it runs no scripts.
    Object.assign(process, { execPath: executable, resourcesPath: join(dirname(executable), 'resources') })
    refuseArchivedFiles()
  }
  Object.assign(process, { argv: [process.execPath, ...launch.args], type: 'browser' })
  Object.assign(process.versions, { electron: electronVersion() })
  // Otherwise every process that the app forks would be debugged and be an Electron too.
  process.execArgv.length = 0
}

/** Electron's `ready` waits for the entry, so an entry that waits for `ready` hangs. The stand-in reports that. */
async function loadEntry(entry: string): Promise<void> {
  const stuck = setTimeout(() => {
    console.error(
      `stand-in: ${entry} has not settled after ${ENTRY_LIMIT_MS / 1000} s. In Electron an app with a top-level ` +
        '`await app.whenReady()` hangs for ever (electron/electron#40719): `ready` comes after the entry',
    )
    process.exit(1)
  }, ENTRY_LIMIT_MS)
  try {
    await import(pathToFileURL(entry).href)
  } catch (error) {
    console.error('App threw an error during load\n', error)
    process.exit(1)
  }
  clearTimeout(stuck)
}

async function start(): Promise<void> {
  const port = await serveSchemes(schemes, (scheme) => schemeHandlers.get(scheme))
  const passed = [...switches].filter(([name]) => !OWN_SWITCHES.has(name))
  const disabled = [...DISABLED_FEATURES, switches.get('disable-features')].filter(Boolean).join(',')
  const chromium = await startChromium({
    headed: process.env['STANDIN_HEADED'] === '1',
    displaySize: DISPLAY_SIZE,
    switches: [
      ...passed.map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`)),
      `--disable-features=${disabled}`,
      `--host-resolver-rules=${hostRules(schemes, port)}`,
    ],
  })
  void chromium.died.then(() => {
    console.error('stand-in: Chromium has ended')
    process.exit(1)
  })
  const cdp = await openCdp(chromium.address)
  const { product } = await cdp.session().send('Browser.getVersion')
  Object.assign(process.versions, { chrome: product.replace(/^.*\//, '') })
  setRunning(await openBrowser(cdp))
  // Playwright waits for this line.
  console.error(`DevTools listening on ${chromium.address}`)
  announceReady()
}
