import { describe, expect, it } from 'vitest'
import { openCommand } from './open-browser.ts'

const URL = 'http://localhost:3477'
const linux = { platform: 'linux', env: { DISPLAY: ':0' }, isTerminal: true } as const

describe('the browser', () => {
  it('is opened with the command of the platform', () => {
    expect(openCommand(URL, linux)).toEqual({ command: 'xdg-open', args: [URL] })
    expect(openCommand(URL, { ...linux, platform: 'darwin', env: {} })).toEqual({ command: 'open', args: [URL] })
    expect(openCommand(URL, { ...linux, platform: 'win32', env: {} })?.command).toBe('explorer.exe')
    expect(openCommand(URL, { ...linux, env: { WSL_DISTRO_NAME: 'Debian' } })?.command).toBe('explorer.exe')
  })

  it('is not opened without a user at a screen', () => {
    expect(openCommand(URL, { ...linux, isTerminal: false })).toBeUndefined()
    expect(openCommand(URL, { ...linux, env: { DISPLAY: ':0', CI: 'true' } })).toBeUndefined()
    expect(openCommand(URL, { ...linux, env: {} })).toBeUndefined()
  })
})
