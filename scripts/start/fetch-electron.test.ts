import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { downloadElectron, whyUnreachable } from './fetch-electron.ts'

const listen = async (server: Server | ReturnType<typeof createServer>): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the download host', () => {
  it('is reachable if it answers', async () => {
    const asked: string[] = []
    const host = await listen(
      createHttpServer((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        response.writeHead(404).end()
      }),
    )
    expect(await whyUnreachable({ ELECTRON_MIRROR: `http://${host}/mirror/` })).toBeUndefined()
    expect(await whyUnreachable({ npm_config_electron_mirror: `http://${host}/npm/` })).toBeUndefined()
    expect(asked).toEqual(['HEAD /mirror/', 'HEAD /npm/'])
  })

  it('is unreachable if it accepts connections and does not answer', async () => {
    const host = await listen(createServer((socket) => onTestFinished(() => void socket.destroy())))
    const why = await whyUnreachable({ ELECTRON_MIRROR: `http://${host}/` }, 200)
    expect(why).toBe(`${host} cannot be reached (no answer within 0.2 s)`)
  })

  it('is named if it refuses connections or is unknown', async () => {
    const server = createServer()
    const host = await listen(server)
    server.close()
    await once(server, 'close')
    expect(await whyUnreachable({ ELECTRON_MIRROR: `http://${host}/` })).toBe(
      `${host} cannot be reached (ECONNREFUSED)`,
    )
    const unknown = await whyUnreachable({ ELECTRON_MIRROR: 'https://no-such-host.invalid/' })
    expect(unknown).toMatch(/^no-such-host\.invalid cannot be reached \(E[A-Z_]+\)$/)
  })

  it('must be a web address', async () => {
    for (const mirror of ['nonsense', 'file:///srv/electron/']) {
      expect(await whyUnreachable({ ELECTRON_MIRROR: mirror })).toBe(`the mirror "${mirror}" is not a web address`)
    }
  })

  it('is tested through a proxy if the download uses one', async () => {
    const asked: string[] = []
    const proxy = await listen(
      createHttpServer().on('connect', (request, socket) => {
        asked.push(request.url ?? '')
        socket.end('HTTP/1.1 502 No\r\n\r\n')
      }),
    )
    const mirror = 'https://electron-mirror.invalid/'
    const before = process.env['HTTPS_PROXY']
    process.env['HTTPS_PROXY'] = `http://${proxy}`
    onTestFinished(() => {
      if (before === undefined) delete process.env['HTTPS_PROXY']
      else process.env['HTTPS_PROXY'] = before
    })
    const why = await whyUnreachable({ ELECTRON_MIRROR: mirror, ELECTRON_GET_USE_PROXY: 'true' })
    expect(asked).toEqual(['electron-mirror.invalid:443'])
    expect(why).toContain('electron-mirror.invalid cannot be reached')
  })
})

describe('the download', () => {
  const install = async (body: string): Promise<string | undefined> => {
    const folder = temporaryFolder('install')
    writeFileSync(join(folder, 'install.js'), body)
    return downloadElectron(folder, { PATH: process.env['PATH'] })
  }

  it('runs the script of the package', async () => {
    expect(await install('process.exitCode = 0')).toBeUndefined()
  })

  it('reports a failure in one line', async () => {
    const failing = `console.error('\\nTypeError: fetch failed\\n    at x'); process.exitCode = 1`
    expect(await install(failing)).toBe('the download failed: TypeError: fetch failed')
    expect(await install('process.exitCode = 7')).toBe('the download failed: exit code 7')
  })
})
