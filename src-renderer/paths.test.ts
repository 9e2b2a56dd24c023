import { describe, expect, it, vi } from 'vitest'
import { shownPath, wholePath } from './paths.ts'

const EXECUTION = '/executions/exe_1'

describe('a URL', () => {
  it('contains the connection and the project, and is short for the local runtime', () => {
    expect(shownPath(`/c/local/p/default${EXECUTION}`)).toBe(`/p/default${EXECUTION}`)
    expect(shownPath(`/c/acme/p/default${EXECUTION}`)).toBe(`/c/acme/p/default${EXECUTION}`)
    for (const path of [`/c/local/p/a%2Fb${EXECUTION}`, `/c/acme/p/default/`, '/c/local/p/default']) {
      expect(wholePath(shownPath(path), 'other')).toBe(path)
    }
  })

  it('without a project uses the last project', () => {
    expect(wholePath(EXECUTION, 'prj_1')).toBe(`/c/local/p/prj_1${EXECUTION}`)
    expect(wholePath('/', 'default')).toBe('/c/local/p/default/')
    expect(wholePath('/programs/p', 'a/b')).toBe('/c/local/p/a%2Fb/programs/p')
  })

  it('of the page of the hosted service names it current, and is short for it', async () => {
    vi.stubGlobal('document', { documentElement: { dataset: { home: 'hosted' } } })
    vi.resetModules()
    const hosted = await import('./paths.ts')
    vi.unstubAllGlobals()
    vi.resetModules() // other files in this process have another home
    expect(hosted.wholePath(`/p/prj_1${EXECUTION}`, 'other')).toBe(`/c/current/p/prj_1${EXECUTION}`)
    for (const id of ['current', 'hosted']) {
      const whole = hosted.wholePath(`/c/${id}/p/prj_1${EXECUTION}`, 'other')
      expect([whole, hosted.shownPath(whole)]).toEqual([`/c/current/p/prj_1${EXECUTION}`, `/p/prj_1${EXECUTION}`])
    }
    // The name of a saved connection.
    expect(wholePath('/c/hosted/p/default/', 'other')).toBe('/c/hosted/p/default/')
  })
})
