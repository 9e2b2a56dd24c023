// Resolves `electron` to the stand-in, for `import` and `require`.

import { registerHooks } from 'node:module'

const url = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    /^electron(\/(main|common))?$/.test(specifier) ? { url, shortCircuit: true } : next(specifier, context),
})
