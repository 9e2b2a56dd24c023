import type { Protocol } from 'electron'
import { assertSchemeName } from '../custom-schemes.ts'
import { emulate, notEmulated } from '../emulate.ts'
import { browserFor, isRunning, schemeHandlers, schemes } from '../running.ts'

export const protocol = emulate<Protocol>()('protocol', {
  registerSchemesAsPrivileged(list) {
    if (isRunning()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    for (const { scheme } of list) {
      assertSchemeName(scheme)
      schemes.add(scheme)
    }
  },
  handle(scheme, handler) {
    browserFor('use protocol')
    if (!schemes.has(scheme)) throw notEmulated(`protocol.handle('${scheme}'), which is not registered as privileged,`)
    if (schemeHandlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`)
    schemeHandlers.set(scheme, handler)
  },
  unhandle(scheme) {
    if (!schemeHandlers.delete(scheme)) throw new Error(`Failed to unhandle protocol: ${scheme}`)
  },
  isProtocolHandled: (scheme) => schemeHandlers.has(scheme),
})
