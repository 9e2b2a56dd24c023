import { Server } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/** Until the test has ended, no server can listen on [::1], as where there is no such address. */
export const withoutLoopbackIpv6 = (code: string): void => {
  const { listen } = Server.prototype
  const listens = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given) {
    const { host } = given[0] as { readonly host?: string }
    if (host !== '::1') return listen.apply(this, given)
    setImmediate(() => this.emit('error', Object.assign(new Error(`listen ${code}`), { code })))
    return this
  })
  onTestFinished(() => listens.mockRestore())
}
