import { describe, expect, it } from 'vitest'
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
})
