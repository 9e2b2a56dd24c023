import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { bindServer } from './bind-server.ts'
import { PortTakenError } from './runtime.ts'

it('a port that another process holds, or that the system refuses, is a fault of the port', async () => {
  const holder = createServer()
  const port = await bindServer(holder, '127.0.0.1', 0)
  await expect(bindServer(createServer(), '127.0.0.1', port)).rejects.toEqual(new PortTakenError(port))
  holder.close()
  // Root may use every port, and only Windows reserves some.
  const refusing = createServer()
  const failing = bindServer(refusing, '127.0.0.1', port)
  refusing.emit('error', Object.assign(new Error('listen EACCES: permission denied'), { code: 'EACCES' }))
  const fault: unknown = await failing.catch((error: unknown) => error)
  refusing.close()
  expect(fault).toMatchObject({ isRefused: true, message: `the system does not let this user use port ${port}` })
})
