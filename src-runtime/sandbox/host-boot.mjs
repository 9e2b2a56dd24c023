// Starts a host from sources that the runtime has stripped of their types. JavaScript, so that nothing needs stripping
// here.

import { registerHooks } from 'node:module'

process.once('message', ({ main, sources }) => {
  registerHooks({
    load: (url, context, next) =>
      sources[url] === undefined ? next(url, context) : { format: 'module', source: sources[url], shortCircuit: true },
  })
  void import(main)
})
