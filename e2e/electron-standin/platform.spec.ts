// Menus, tray, notifications, dialogs, secrets and processes.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, FIXTURE_APP, test } from './fixture.ts'

test.beforeEach(async ({ page }) => {
  expect(await page.title()).toBe('Fixture')
})

test('a menu item is found by its id and clicked, and main reaches the page', async ({ electronApp, page }) => {
  const item = await electronApp.evaluate(({ Menu }) => {
    const found = Menu.getApplicationMenu()!.getMenuItemById('ping')!
    found.click()
    return { label: found.label, accelerator: found.accelerator, enabled: found.enabled, type: found.type }
  })
  expect(item).toEqual({ label: 'Ping', accelerator: 'CmdOrCtrl+P', enabled: true, type: 'normal' })
  await expect.poll(() => page.evaluate(() => pongs)).toEqual([7])
})

test('menus have submenus, roles, separators and checkboxes', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(({ Menu }) => {
    const menu = Menu.getApplicationMenu()!
    const box = menu.getMenuItemById('checked')!
    const before = box.checked
    box.click()
    const edit = menu.items.find(({ role }) => role?.toLowerCase() === 'editmenu')!
    const parts = edit.submenu!.items.map(({ role, type }) => role?.toLowerCase() ?? type)
    return {
      before,
      after: box.checked,
      top: menu.items.length,
      parts: parts.slice(0, 4),
      none: menu.getMenuItemById('x'),
    }
  })
  expect(seen).toEqual({ before: false, after: true, top: 3, parts: ['undo', 'redo', 'separator', 'cut'], none: null })
})

test('the role reload works', async ({ electronApp, page }) => {
  await page.evaluate(() => (pongs = [99]))
  await electronApp.evaluate(({ BrowserWindow, Menu }) =>
    Menu.getApplicationMenu()!.getMenuItemById('reload')!.click({}, BrowserWindow.getAllWindows()[0], undefined),
  )
  await expect.poll(() => page.evaluate(() => pongs).catch(() => undefined)).toEqual([])
})

test('a tray has an image, a tooltip and a menu, and gets clicks', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(({ Menu, nativeImage, Tray }) => {
    let menu: Electron.Menu | null = null
    const { setContextMenu } = Tray.prototype
    Tray.prototype.setContextMenu = function (given) {
      menu = given
      setContextMenu.call(this, given)
    }
    const tray = new Tray(nativeImage.createEmpty())
    const clicks: string[] = []
    tray.on('click', () => clicks.push('tray'))
    tray.setToolTip('Fixture')
    tray.setContextMenu(Menu.buildFromTemplate([{ id: 'open', label: 'Open', click: () => clicks.push('menu') }]))
    tray.emit('click')
    menu!.getMenuItemById('open')!.click()
    Tray.prototype.setContextMenu = setContextMenu
    tray.destroy()
    return { clicks, isDestroyed: tray.isDestroyed() }
  })
  expect(seen).toEqual({ clicks: ['tray', 'menu'], isDestroyed: true })
})

test('a notification is shown, and reports its click', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(({ Notification }) => {
    const shown: string[] = []
    const { show } = Notification.prototype
    Notification.prototype.show = function () {
      shown.push(this.title)
    }
    const notification = new Notification({ title: 'Execution failed', body: 'order-approval' })
    notification.on('click', () => shown.push('clicked'))
    notification.show()
    notification.emit('click')
    Notification.prototype.show = show
    return { shown, body: notification.body }
  })
  expect(seen).toEqual({ shown: ['Execution failed', 'clicked'], body: 'order-approval' })
})

test('a dialog returns the answer that a test prepared', async ({ electronApp }) => {
  const answer = await electronApp.evaluate(async ({ dialog }) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: ['/somewhere'] })
    return dialog.showOpenDialog({ properties: ['openDirectory'] })
  })
  expect(answer).toEqual({ canceled: false, filePaths: ['/somewhere'] })
})

test('images know their size', async ({ electronApp }) => {
  const red = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=='
  const sizes = await electronApp.evaluate(
    ({ nativeImage }, data) => ({
      image: nativeImage.createFromDataURL(`data:image/png;base64,${data}`).getSize(),
      missing: nativeImage.createFromPath('/no/such/image.png').isEmpty(),
      empty: nativeImage.createEmpty().isEmpty(),
    }),
    red,
  )
  expect(sizes).toEqual({ image: { width: 2, height: 3 }, missing: true, empty: true })
})

test('there is a display for a window', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(({ screen }) => ({
    displays: screen.getAllDisplays().length,
    same: screen.getDisplayMatching({ x: -9_000, y: 0, width: 10, height: 10 }).id === screen.getPrimaryDisplay().id,
    width: screen.getPrimaryDisplay().workArea.width,
  }))
  expect(seen).toEqual({ displays: 1, same: true, width: expect.any(Number) })
})

test('a test can make the machine sleep and wake', async ({ electronApp }) => {
  const heard = await electronApp.evaluate(({ powerMonitor }) => {
    const names: string[] = []
    powerMonitor.on('suspend', () => names.push('suspend'))
    powerMonitor.on('resume', () => names.push('resume'))
    powerMonitor.emit('suspend')
    powerMonitor.emit('resume')
    return names
  })
  expect(heard).toEqual(['suspend', 'resume'])
})

test('an encrypted value can be decrypted', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(async ({ safeStorage }) => {
    const sealed = await safeStorage.encryptStringAsync('s3cret')
    return {
      ...(await safeStorage.decryptStringAsync(sealed)),
      isOpen: sealed.toString('latin1').includes('s3cret'),
      isAvailable: await safeStorage.isAsyncEncryptionAvailable(),
      failure: await safeStorage.decryptStringAsync(Buffer.from('v11 nonsense that nobody sealed')).then(
        () => '',
        () => 'refused',
      ),
    }
  })
  expect(seen).toMatchObject({ result: 's3cret', isOpen: false, isAvailable: true, failure: 'refused' })
})

test('a desktop without a keychain looks like in Electron', async ({ engine, env, start }) => {
  test.skip(engine !== 'stand-in', 'the keychain of a real desktop cannot be selected')
  // With its own folder; otherwise it would be a second instance of this test's app.
  const app = await start({
    STANDIN_SAFE_STORAGE: 'basic_text',
    FIXTURE_USER_DATA: join(env['FIXTURE_USER_DATA']!, 'other'),
    FIXTURE_WITHOUT_WINDOW: '1',
  })
  const seen = await app.evaluate(async ({ safeStorage }) => ({
    backend: safeStorage.getSelectedStorageBackend(),
    claims: await safeStorage.isAsyncEncryptionAvailable(),
    prefix: (await safeStorage.encryptStringAsync('x')).subarray(0, 3).toString(),
  }))
  expect(seen).toEqual({ backend: 'basic_text', claims: true, prefix: 'v10' })
})

test('the clipboard of main answers with promises', async ({ electronApp, engine }) => {
  test.skip(engine !== 'stand-in', 'would overwrite the tester’s clipboard')
  const text = await electronApp.evaluate(async ({ clipboard }) => {
    await clipboard.writeText('copied')
    return clipboard.readText()
  })
  expect(text).toBe('copied')
})

test('net.fetch reads files and the app’s own scheme', async ({ electronApp }) => {
  const seen = await electronApp.evaluate(
    async ({ net }, file) => {
      const page = await net.fetch('app://fixture/second.html')
      return {
        text: (await (await net.fetch(`file://${file}`)).json()) as { readonly name: string },
        page: (await page.text()).includes('Second'),
        missing: await net.fetch('file:///no/such/file').catch(String),
      }
    },
    join(FIXTURE_APP, 'package.json'),
  )
  expect(seen).toMatchObject({ text: { name: 'fixture-app' }, page: true, missing: 'Error: net::ERR_FILE_NOT_FOUND' })
})

test('net.request tells where a redirect leads without following it, and streams until it is aborted', async ({
  electronApp,
}) => {
  const reached: string[] = []
  const server = createServer(({ url = '', headers }, answer) => {
    reached.push(`${url} ${headers.authorization} ${headers.cookie}`)
    if (url === '/from') answer.writeHead(302, { location: '/to' }).end()
    else answer.writeHead(200, { 'content-type': 'text/event-stream', 'x-own': 'a' }).write('data: 1\n\n')
    answer.on('close', () => reached.push(`${url} ended`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const seen = await electronApp.evaluate(async ({ net }, base) => {
    const open = (path: string) =>
      net.request({
        url: base + path,
        headers: { authorization: 'Bearer t' },
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
      })
    const redirected = await new Promise((resolve) => {
      const request = open('/from')
      request.on('error', () => {})
      request.on('redirect', (status, _method, url) => resolve([status, url.slice(base.length)]))
      request.end()
    })
    const streamed = await new Promise((resolve) => {
      const request = open('/events')
      request.on('error', () => {})
      request.on('response', (response) => {
        response.on('data', (chunk) => {
          resolve([response.statusCode, response.headers['x-own'], String(chunk)])
          request.abort()
        })
      })
      request.end()
    })
    const refused = await new Promise((resolve) => {
      const request = net.request('http://127.0.0.1:1/')
      request.on('error', ({ message }) => resolve(message))
      request.end()
    })
    return { redirected, streamed, refused }
  }, address)
  expect(seen).toEqual({
    redirected: [302, '/to'],
    streamed: [200, 'a', 'data: 1\n\n'],
    refused: expect.stringMatching(/net::ERR_(CONNECTION_REFUSED|UNSAFE_PORT)/),
  })
  await expect.poll(() => reached).toContain('/events ended')
  expect(reached.filter((one) => !one.endsWith('ended'))).toEqual([
    '/from Bearer t undefined',
    '/events Bearer t undefined',
  ])
  server.closeAllConnections()
  server.close()
})

test.describe('a utility process', () => {
  test('sends messages through its port, has no Node channel, and ends on request', async ({ electronApp }) => {
    const seen = await electronApp.evaluate(
      async ({ utilityProcess }, file) => {
        const child = utilityProcess.fork(file, ['--one'], { serviceName: 'Fixture', stdio: 'pipe' })
        const pidBefore = child.pid
        let said = ''
        child.stdout!.on('data', (text: Buffer) => (said += String(text)))
        // Sent at once: messages must wait until the child listens.
        child.postMessage({ n: 20, bytes: new Uint8Array([1, 2]) })
        const answer = await new Promise<object>((resolve) => child.once('message', resolve))
        const pid = child.pid
        child.postMessage({ exit: 3 })
        const code = await new Promise((resolve) => child.once('exit', resolve))
        return { answer, said, code, pidBefore, hadPid: typeof pid, pidAfter: child.pid, killed: child.kill() }
      },
      join(FIXTURE_APP, 'utility.js'),
    )
    expect(seen).toMatchObject({
      answer: { fibonacci: 6765, type: 'utility', canSend: false, ports: 0, arguments: ['--one'] },
      said: 'asked for 20\n',
      code: 3,
      pidBefore: undefined,
      hadPid: 'number',
      pidAfter: undefined,
      killed: false,
    })
  })

  test('is killed, also when its app has ended', async ({ electronApp }) => {
    const wasKilled = await electronApp.evaluate(
      async ({ utilityProcess }, file) => {
        const [one, other] = [utilityProcess.fork(file), utilityProcess.fork(file)]
        await Promise.all(
          [one, other].map((child) => new Promise<void>((spawned) => child.once('spawn', () => spawned()))),
        )
        const exited = new Promise((resolve) => one.once('exit', resolve))
        const wasAlive = one.kill()
        await exited
        return wasAlive
      },
      join(FIXTURE_APP, 'utility.js'),
    )
    expect(wasKilled).toBe(true)
    // The fixture checks that the other one has ended.
  })
})
