import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it, vi } from 'vitest'
import type { RuntimeState, UpdateState } from '../preload/desktop-api.ts'
import { trayTemplate } from '../tray/tray-template.ts'
import { contextMenuTemplate } from './context-menu.ts'
import { menuTemplate, type MenuActions, type MenuFacts } from './menu-template.ts'
import { describeState } from './runtime-verbs.ts'

const READY: RuntimeState = { kind: 'ready', url: 'u', port: 3477, pid: 1, owned: true, projectFolder: null }
const STATES: readonly RuntimeState[] = [
  { kind: 'stopped' },
  { kind: 'starting', since: '' },
  { kind: 'starting', since: '', upgrade: { kind: 'copying', percent: 1 } },
  READY,
  { ...READY, owned: false },
  { kind: 'stopping', since: '' },
  { kind: 'crashed', message: '', logLines: [], restartsAt: '' },
  { kind: 'crashed', message: '', logLines: [], restartsAt: null },
  {
    kind: 'foreign',
    port: 3477,
    holder: null,
    isReserved: false,
    runtime: null,
    suggestedPort: 3478,
    environmentLine: '',
  },
]

const flat = (items: readonly MenuItemConstructorOptions[]): readonly MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])])
const rig = (facts: Partial<MenuFacts> = {}) => {
  const called: unknown[][] = []
  const actions = new Proxy({} as MenuActions, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        void called.push([name, ...args.filter((arg) => typeof arg === 'string')]),
  })
  const menus = menuTemplate(
    {
      platform: 'linux',
      isDevelopment: false,
      state: READY,
      folders: { current: '/b', recent: ['/a', '/b'] },
      theme: 'dark',
      connections: { saved: [], shown: 'local' },
      updates: { kind: 'idle' },
      ...facts,
    },
    actions,
  )
  const all = flat(menus)
  const item = (id: string) => all.find((one) => one.id === id)
  const click = (id: string) => (item(id)?.click as (() => void) | undefined)?.()
  return { menus, all, item, click, called }
}

describe('the application menu', () => {
  it('contains every page, command and action', () => {
    const { click, called } = rig()
    for (const id of [
      'go-executions',
      'back',
      'forward',
      'settings',
      'start-execution',
      'command-palette',
      'shortcuts',
      'new-project',
      'stop-runtime',
      'open-in-browser',
      'choose-project',
      'recent-project-1',
      'open-sample',
      'reveal-data',
      'back-up-data',
      'reveal-logs',
      'copy-diagnostics',
      'theme-light',
    ]) {
      click(id)
    }
    expect(called).toEqual([
      ['navigate', '/executions'],
      ['goBack'],
      ['goForward'],
      ['navigate', '/settings'],
      ['command', 'start-execution'],
      ['command', 'command-palette'],
      ['command', 'shortcuts'],
      ['command', 'new-project'],
      ['runtime', 'stop'],
      ['openInBrowser'],
      ['chooseProject'],
      ['openProject', '/a'],
      ['openSample'],
      ['revealData'],
      ['backUpData'],
      ['revealLogs'],
      ['copyDiagnostics'],
      ['setTheme', 'light'],
    ])
  })

  it.each(['linux', 'darwin', 'win32'] as const)('has no duplicate id or accelerator on %s', (platform) => {
    const { all } = rig({ platform })
    for (const key of ['id', 'accelerator'] as const) {
      const values = all.map((item) => item[key]).filter((value) => value !== undefined)
      expect(new Set(values).size).toBe(values.length)
      expect(values.length).toBeGreaterThan(5)
    }
    expect(all.filter(({ role }) => role === 'quit')).toHaveLength(1)
  })

  it.each(['linux', 'win32'] as const)('opens each menu with Alt and a letter of its own on %s', (platform) => {
    const letters = rig({ platform }).menus.map(({ label }) => /&(\w)/.exec(label ?? '')?.[1])
    expect(letters).toEqual(['F', 'E', 'V', 'C', 'R', 'W', 'H'])
  })

  it('goes back and forward with the keys of the platform’s browsers', () => {
    const keys = (platform: NodeJS.Platform) => {
      const { item } = rig({ platform })
      return [item('back')?.accelerator, item('forward')?.accelerator]
    }
    expect(keys('linux')).toEqual(['Alt+Left', 'Alt+Right'])
    expect(keys('darwin')).toEqual(['Cmd+[', 'Cmd+]'])
  })

  it('enables actions that are possible', () => {
    const enabled = (state: RuntimeState) => {
      const { item } = rig({ state })
      return ['start', 'stop', 'restart'].filter((verb) => item(`${verb}-runtime`)?.enabled === true).join()
    }
    expect(STATES.map(enabled)).toEqual([
      'start',
      '',
      'stop',
      'stop,restart',
      '',
      '',
      'stop,restart',
      'restart',
      'start,stop',
    ])
  })

  it('shows the developer tools only to developers', () => {
    expect(rig().item('developer-tools')).toBeUndefined()
    expect(rig({ isDevelopment: true }).item('developer-tools')).toBeDefined()
  })

  it('marks the open project and the theme', () => {
    const { item } = rig({ folders: { current: '/b', recent: ['/a & c', '/b'] } })
    expect([item('recent-project-1')?.checked, item('recent-project-2')?.checked]).toEqual([false, true])
    expect(item('recent-project-1')?.label).toBe('/a && c')
    expect(rig({ folders: { current: null, recent: ['/a\u202e\nb'] } }).item('recent-project-1')?.label).toBe(
      String.raw`/a\u202e\u000ab`,
    )
    expect([item('theme-dark')?.checked, item('theme-light')?.checked]).toEqual([true, false])
    expect(rig({ folders: { current: null, recent: [] } }).item('recent-projects')?.enabled).toBe(false)
  })
})

describe('updates in the menu', () => {
  const update = { version: '0.2.0', bytes: null, releasedAt: null, notes: null }
  const shown = (updates: UpdateState, platform: 'linux' | 'darwin' = 'linux') => {
    const { item, click, called } = rig({ updates, platform })
    click('updates')
    return [item('updates')?.label, item('updates')?.enabled !== false && called[0]?.[0]]
  }

  it('say how far they are, and lead to where the user decides', () => {
    const downloading = { receivedBytes: 0, totalBytes: 0, bytesPerSecond: 0 }
    const check = ['Check for Updates…', 'checkForUpdates']
    expect(shown({ kind: 'off', reason: '' })).toEqual(check)
    expect(shown({ kind: 'none', newest: '0.1.0' })).toEqual(check)
    expect(shown({ kind: 'failed', during: 'check', problem: '', update: null })).toEqual(check)
    expect(shown({ kind: 'checking' })).toEqual(['Checking for Updates…', false])
    expect(shown({ kind: 'available', update })).toEqual(['Update to Version 0.2.0…', 'showUpdates'])
    expect(shown({ kind: 'downloading', update, ...downloading })).toEqual(['Downloading Update…', 'showUpdates'])
    const ready: UpdateState = { kind: 'ready', update, installsOnQuit: false }
    expect(shown(ready)).toEqual(['Restart to Update…', 'restartToUpdate'])
    expect(shown(ready, 'darwin')).toEqual(['Restart to Update…', 'restartToUpdate'])
    expect(shown({ kind: 'restarting', update })).toEqual(['Restarting…', false])
  })
})

describe('the connections', () => {
  const saved = [
    { id: 'acme', name: 'Acme & Co' },
    { id: 'acme-2', name: 'Acme staging' },
  ]

  it('are items that show them, and the shown one is marked', () => {
    const { item, click, called } = rig({ connections: { saved, shown: 'acme' } })
    const ids = ['connection-local', 'connection-acme', 'connection-acme-2']
    expect(ids.map((id) => [item(id)?.label, item(id)?.type, item(id)?.checked])).toEqual([
      ['Local', 'radio', false],
      ['Acme && Co', 'radio', true],
      ['Acme staging', 'radio', false],
    ])
    for (const id of ids) click(id)
    expect(called).toEqual([
      ['navigate', '/c/local/p/default/executions'],
      ['navigate', '/c/acme/p/default/executions'],
      ['navigate', '/c/acme-2/p/default/executions'],
    ])
  })

  it('are in the tray, once there is one besides the local runtime', () => {
    const open = vi.fn()
    const template = trayTemplate({ kind: 'stopped' }, '', [], { saved, shown: 'acme-2' }, { ...TRAY, open })
    const items = template.filter(({ type }) => type === 'radio')
    expect(items.map(({ id, checked }) => [id, checked])).toEqual([
      ['tray-connection-local', false],
      ['tray-connection-acme', false],
      ['tray-connection-acme-2', true],
    ])
    ;(items[1]!.click as () => void)()
    expect(open).toHaveBeenCalledWith('/c/acme/p/default/executions')
  })
})

const TRAY = { open: vi.fn(), runtime: vi.fn(), connectToHosted: vi.fn(), quit: vi.fn() }
const NONE = { saved: [], shown: 'local' }

describe('the tray', () => {
  const actions = TRAY

  it('shows the runtime’s state', () => {
    expect(STATES.map((state) => describeState(state, false))).toEqual([
      'Runtime stopped',
      'Runtime starting…',
      'Upgrading your data…',
      'Runtime ready on port 3477',
      'Using the runtime on port 3477',
      'Runtime stopping…',
      'Runtime failed, restarting…',
      'Runtime failed',
      'Port 3477 is taken',
    ])
    expect(describeState(READY, true)).toBe('Disk full: nothing can be stored')
    expect(describeState({ kind: 'stopped' }, true)).toBe('Runtime stopped')
  })

  it('has start, stop, dashboard, last failures and quit', () => {
    const failures = [{ path: '/x/exe_1', programId: 'order', at: '2026-11-20T12:00:00.000Z' }]
    const template = trayTemplate(READY, 'Runtime ready', failures, NONE, actions)
    expect(template[0]).toMatchObject({ id: 'tray-state', label: 'Runtime ready' })
    const click = (id: string) => (template.find((item) => item.id === id)?.click as (() => void) | undefined)?.()
    for (const id of ['tray-stop', 'tray-failure-1', 'tray-open', 'tray-quit']) click(id)
    expect(actions.runtime).toHaveBeenCalledWith('stop')
    expect(actions.open.mock.calls).toEqual([['/x/exe_1'], []])
    expect(actions.quit).toHaveBeenCalledTimes(1)
    expect(trayTemplate({ kind: 'stopped' }, '', [], NONE, actions).map(({ id }) => id)).toEqual([
      'tray-state',
      'tray-start',
      undefined,
      'tray-connect-to-hosted',
      undefined,
      'tray-open',
      'tray-quit',
    ])
  })
})

describe('the menu of a right click', () => {
  const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true }
  const roles = (isEditable: boolean, selectionText: string) =>
    contextMenuTemplate({ isEditable, selectionText, editFlags }).map(({ role, type }) => role ?? type)

  it('edits text in a field, copies selected text, and is not shown elsewhere', () => {
    expect(roles(true, '')).toEqual(['cut', 'copy', 'paste', 'separator', 'selectAll'])
    expect(roles(false, 'exe_01')).toEqual(['copy'])
    expect(roles(false, ' \n')).toEqual([])
  })

  it('enables what is possible, such as no copy of a password', () => {
    const [cut, copy, paste] = contextMenuTemplate({
      isEditable: true,
      selectionText: '',
      editFlags: { ...editFlags, canCut: false, canCopy: false },
    })
    expect([cut, copy, paste].map((item) => item?.enabled)).toEqual([false, false, true])
  })
})
