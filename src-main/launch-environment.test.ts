import { describe, expect, it } from 'vitest'
import { readLaunchEnvironment } from './launch-environment.ts'

const ALL = {
  WES_USER_DATA_DIR: '/tmp/user',
  WES_PORT: '4000',
  WES_PROJECT_FOLDER: '/tmp/shop',
  ELECTRON_RENDERER_URL: 'http://localhost:5173',
  WES_UPDATE_FEED: 'http://127.0.0.1:4001/',
}

describe('the environment of the app', () => {
  it('is read by a source checkout', () => {
    expect(readLaunchEnvironment(ALL, false)).toEqual({
      userDataFolder: '/tmp/user',
      port: 4000,
      projectFolder: '/tmp/shop',
      pageServer: 'http://localhost:5173',
      updateFeed: 'http://127.0.0.1:4001/',
    })
  })

  it('is ignored by an installed app', () => {
    expect(readLaunchEnvironment(ALL, true)).toEqual({})
  })

  it('turns updates off everywhere', () => {
    for (const isPackaged of [true, false]) {
      expect(readLaunchEnvironment({ WES_NO_UPDATES: '1' }, isPackaged)).toEqual({ noUpdates: true })
      expect(readLaunchEnvironment({ WES_NO_UPDATES: '' }, isPackaged)).toEqual({})
    }
  })

  it.each([
    { WES_USER_DATA_DIR: 'relative' },
    { WES_PROJECT_FOLDER: 'relative' },
    { WES_PORT: '70000' },
    { WES_PORT: '0' },
    { WES_PORT: '4e3' },
    { ELECTRON_RENDERER_URL: 'http://example.com' },
    { ELECTRON_RENDERER_URL: 'file:///etc/passwd' },
    { WES_UPDATE_FEED: 'https://updates.example/' },
    { WES_USER_DATA_DIR: '', WES_PORT: '', ELECTRON_RENDERER_URL: '' },
  ])('is ignored if it is invalid: %j', (env) => {
    expect(readLaunchEnvironment(env, false)).toEqual({})
  })
})
