import { transformSync } from 'esbuild'
import type { Script } from './edit-script.ts'

/** The code of a source as the bundler writes it, and what a mend makes of that. */
export const createMended =
  (mend: (script: Script) => Script) =>
  (source: string): { readonly before: string; readonly after: string } => {
    const { code, map } = transformSync(`(() => { "use strict"; ${source} })()`, {
      target: 'es2023',
      sourcemap: 'external',
    })
    return { before: code, after: mend({ code, map: JSON.parse(map), used: new Set() }).code }
  }
