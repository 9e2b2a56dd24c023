// The source text that runs in a page before its own scripts.

import { createCodec } from '../codec.ts'
import { createEndpoint, runMainWorld } from './endpoint.ts'
import { type ProcessFacts, runIsolatedWorld } from './isolated-world.ts'
import { catchWindows, passOnWindows } from './refused-windows.ts'
import { watchTitle } from './title.ts'

/** Electron's name for the world of preloads. */
export const ISOLATED_WORLD = 'Electron Isolated Context'

/** Globals of the isolated world that no page can see. */
export const NAMES = { toMain: '__standInToMain', toPage: '__standInToPage' }

/** Electron runs a preload in the top frame only. */
const inTopFrame = (code: string): string => `if (window.top === window) { ${code} }`

const endpointSource = (key: string, mine: string, theirs: string): string =>
  `(${createEndpoint})(window, ${createCodec}, ${JSON.stringify({ key, mine, theirs })})`

const windowEvent = (key: string): string => JSON.stringify(`${key}window`)

export const mainWorldSource = (key: string): string =>
  inTopFrame(
    `(${runMainWorld})(window, ${endpointSource(key, 'main', 'isolated')}); (${catchWindows})(window, ${windowEvent(key)})`,
  )

/** Reports for main from every page, also without a preload. */
export const watchingSource = (key: string): string => {
  const tell = (op: string, member: string) =>
    `(${member}) => globalThis.${NAMES.toMain}(JSON.stringify({ op: '${op}', ${member} }))`
  return inTopFrame(
    `(${watchTitle})(window, ${tell('title', 'title')}); ` +
      `(${passOnWindows})(window, ${windowEvent(key)}, ${tell('window', 'request')})`,
  )
}

/** The preload is part of the text: the page's CSP would forbid compiling it there. */
export const isolatedWorldSource = (key: string, preload: string, facts: ProcessFacts): string =>
  inTopFrame(
    `(${runIsolatedWorld})(globalThis, ${JSON.stringify(NAMES)}, ${endpointSource(key, 'isolated', 'main')}, ` +
      `(${createCodec})(), ${JSON.stringify(facts)}, function (require, module, exports, process) {${preload}\n})`,
  )
