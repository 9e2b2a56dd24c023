// A small app that uses what the stand-in supports. It also runs on real Electron.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, BrowserWindow, ipcMain, Menu, protocol } from 'electron'

const FOLDER = import.meta.dirname
const CSP = "default-src 'self'; script-src 'self'; connect-src 'self' http://127.0.0.1:*; frame-ancestors 'none'"
const TYPES = { html: 'text/html', js: 'text/javascript' }

/** Values that tests read with `evaluate`. */
globalThis.fixture = { isLoaded: false, events: [], cancelled: 0, openings: [], sent: [] }
const { events } = globalThis.fixture

if (process.env.FIXTURE_USER_DATA) app.setPath('userData', process.env.FIXTURE_USER_DATA)
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
])
app.on('second-instance', (_event, argv, workingDirectory, additionalData) =>
  events.push({ name: 'second-instance', argv, workingDirectory, additionalData }),
)
for (const name of ['before-quit', 'will-quit', 'quit']) app.on(name, () => console.log(name))
app.on('open-url', (_event, url) => events.push({ name: 'open-url', url }))
app.on('web-contents-created', (_event, contents) => {
  contents.setWindowOpenHandler(({ url }) => {
    globalThis.fixture.openings.push(url)
    return { action: 'deny' }
  })
  contents.on('will-navigate', (event) => {
    events.push({ name: 'will-navigate', url: event.url })
    if (!event.url.startsWith('app://fixture/')) event.preventDefault()
  })
  contents.on('will-frame-navigate', ({ url, isMainFrame }) =>
    events.push({ name: 'will-frame-navigate', url, isMainFrame }),
  )
  contents.on('render-process-gone', (_gone, { reason }) => events.push({ name: 'render-process-gone', reason }))
})

if (app.requestSingleInstanceLock({ from: 'fixture', folder: process.cwd() })) void app.whenReady().then(start)
else app.exit(0)

async function start() {
  protocol.handle('app', answer)
  ipcMain.handle('add', (event, a, b) => {
    const { origin, parent } = event.senderFrame
    if (origin !== 'app://fixture' || parent !== null) throw new Error('untrusted sender')
    if (typeof a !== 'number' || typeof b !== 'number') throw new TypeError('bad arguments')
    return { sum: a + b, at: new Date(0), bytes: new Uint8Array([1, 2, 3]), sizes: new Map([['one', 1n]]) }
  })
  ipcMain.on('note', (_event, what) => globalThis.fixture.sent.push(what))
  if (process.env.FIXTURE_WITHOUT_WINDOW) return
  const window = new BrowserWindow({
    width: 900,
    height: 640,
    show: false,
    webPreferences: { preload: join(FOLDER, 'preload.cjs'), additionalArguments: ['--fixture'] },
  })
  window.once('ready-to-show', () => {
    events.push({ name: 'ready-to-show' })
    window.show()
  })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      {
        label: 'View',
        submenu: [
          {
            id: 'ping',
            label: 'Ping',
            accelerator: 'CmdOrCtrl+P',
            click: () => window.webContents.send('pong', { n: 7 }),
          },
          { id: 'reload', role: 'reload' },
          { id: 'checked', label: 'Checked', type: 'checkbox' },
        ],
      },
      { role: 'editMenu' },
      { id: 'quit', role: 'quit' },
    ]),
  )
  await window.loadURL('app://fixture/')
  globalThis.fixture.isLoaded = true
}

async function answer(request) {
  const url = new URL(request.url)
  if (url.host !== 'fixture') return new Response('', { status: 404 })
  if (url.pathname === '/events') return serverSentEvents()
  if (url.pathname === '/fails') throw new Error('on purpose')
  if (url.pathname === '/echo') {
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
    const { method } = request
    const hash = body && createHash('sha256').update(body).digest('hex')
    return Response.json({
      url: request.url,
      method,
      length: body?.length ?? null,
      hash,
      origin: request.headers.get('origin'),
    })
  }
  const path = url.pathname === '/' ? '/index.html' : url.pathname
  const content = await readFile(join(FOLDER, 'page', path)).catch(() => undefined)
  if (content === undefined) return new Response('', { status: 404 })
  const headers = { 'content-type': TYPES[path.split('.').at(-1)], 'content-security-policy': CSP }
  return new Response(content, { headers })
}

function serverSentEvents() {
  let timer
  const body = new ReadableStream({
    start(controller) {
      let n = 0
      const encoder = new TextEncoder()
      timer = setInterval(() => controller.enqueue(encoder.encode(`data: ${++n}\n\n`)), 20)
    },
    cancel() {
      clearInterval(timer)
      globalThis.fixture.cancelled++
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
