import { describe, expect, it } from 'vitest'
import { assertSchemeName, fromChromium, hostRules, toChromium } from './custom-schemes.ts'

const SCHEMES = new Set(['app'])

describe('the addresses of a custom scheme', () => {
  it.each([
    ['app://dashboard/', 'http://dashboard.app.localhost/'],
    ['app://dashboard/a/b?c=d#e', 'http://dashboard.app.localhost/a/b?c=d#e'],
    ['https://example.com/', 'https://example.com/'],
    ['other://dashboard/', 'other://dashboard/'],
    ['about:blank', 'about:blank'],
  ])('%s is %s in Chromium, and back', (own, chromium) => {
    expect(toChromium(own, SCHEMES)).toBe(chromium)
    expect(fromChromium(chromium, SCHEMES)).toBe(own)
  })

  it('end with a slash without a path', () => {
    expect(toChromium('app://dashboard', SCHEMES)).toBe('http://dashboard.app.localhost/')
  })

  it('differ from other loopback addresses', () => {
    for (const url of ['http://localhost:3477/', 'http://dashboard.app.localhost:3477/', 'http://a.other.localhost/']) {
      expect(fromChromium(url, SCHEMES)).toBe(url)
    }
  })

  it.each(['app:///x', 'app://host:1/'])('%s is refused', (url) => {
    expect(() => toChromium(url, SCHEMES)).toThrow('not emulated')
  })

  it('have names that are valid in a host name', () => {
    expect(() => assertSchemeName('my-app2')).not.toThrow()
    expect(() => assertSchemeName('my.app')).toThrow('not emulated')
  })

  it('are the only names besides this machine’s that resolve', () => {
    expect(hostRules(SCHEMES, 1234)).toBe(
      'MAP *.app.localhost 127.0.0.1:1234, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]',
    )
  })
})
