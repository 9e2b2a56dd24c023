// The source text that a page gets before any script of its own.

import { createCodec } from '../codec.ts'
import { createEndpoint, runMainWorld } from './endpoint.ts'
import { type ProcessFacts, runIsolatedWorld } from './isolated-world.ts'
import { watchTitle } from './title.ts'

/** What Electron calls the world of preloads. */
export const ISOLATED_WORLD = 'Electron Isolated Context'

/** Globals of the isolated world that no page can see. */
export const NAMES = { toMain: '__standInToMain', toPage: '__standInToPage' }

/** Electron runs a preload in the top frame only. */
const inTopFrame = (code: string): string => `if (window.top === window) { ${code} }`

const endpointSource = (key: string, mine: string, theirs: string): string =>
  `(${createEndpoint})(window, ${createCodec}, ${JSON.stringify({ key, mine, theirs })})`

export const mainWorldSource = (key: string): string =>
  inTopFrame(`(${runMainWorld})(window, ${endpointSource(key, 'main', 'isolated')})`)

export const titleSource = (): string =>
  inTopFrame(`(${watchTitle})(window, (title) => globalThis.${NAMES.toMain}(JSON.stringify({ op: 'title', title })))`)

/** The preload is part of the text: the page's CSP would forbid compiling it there. */
export const isolatedWorldSource = (key: string, preload: string, facts: ProcessFacts): string =>
  inTopFrame(
    `(${runIsolatedWorld})(globalThis, ${JSON.stringify(NAMES)}, ${endpointSource(key, 'isolated', 'main')}, ` +
      `(${createCodec})(), ${JSON.stringify(facts)}, function (require, module, exports, process) {${preload}\n})`,
  )
