import { describe, expect, it } from 'vitest'
import { originFault, sessionCookie, sessionKeyOf, sessionRules } from './session-rules.ts'

const KEY = 'k'.repeat(43)

describe('the cookie of a session', () => {
  it('is bound to the host, and to TLS', () => {
    const rules = sessionRules('https://wes.example.com/')
    expect(sessionCookie(rules, KEY)).toBe(
      `__Host-wes_session=${KEY}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure`,
    )
    expect(sessionCookie(rules)).toContain('__Host-wes_session=; Path=/; Max-Age=0;')
  })

  it('has the port in its name on a loopback address, which has no TLS', () => {
    const rules = sessionRules('http://localhost:8080')
    expect(sessionCookie(rules, KEY)).toBe(`wes_session_8080=${KEY}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict`)
  })

  it('is found among others, and only with a key in it', () => {
    const rules = sessionRules('http://localhost:8080')
    expect(sessionKeyOf(rules, `a=b; wes_session_8081=${'x'.repeat(43)};wes_session_8080=${KEY}`)).toBe(KEY)
    for (const header of [undefined, '', 'wes_session_8080=', 'wes_session_8080=short', `xwes_session_8080=${KEY}`]) {
      expect(sessionKeyOf(rules, header)).toBeUndefined()
    }
  })
})

describe('a request with a session', () => {
  const rules = sessionRules('https://wes.example.com')
  const fault = (method: string, headers: Readonly<Record<string, string>>) =>
    originFault(rules, { method, headers })?.code

  it('comes from our own pages', () => {
    expect(fault('POST', { origin: 'https://wes.example.com' })).toBeUndefined()
    expect(fault('GET', { 'sec-fetch-site': 'same-origin' })).toBeUndefined()
  })

  it.each([
    ['POST', {}],
    ['GET', {}],
    ['POST', { 'sec-fetch-site': 'same-origin' }],
    ['GET', { 'sec-fetch-site': 'same-site' }],
    ['GET', { 'sec-fetch-site': 'none' }],
    ['GET', { origin: 'https://evil.example.com', 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: 'http://wes.example.com' }],
    ['POST', { origin: 'https://wes.example.com:444' }],
    ['POST', { origin: 'null' }],
  ])('is refused from elsewhere: %s %j', (method, headers) => {
    expect(fault(method, headers)).toBe('forbidden_origin')
  })
  it('is told what is missing where a browser names no site, as over plain HTTP under a name', () => {
    const plain = sessionRules('http://wes.test:8080')
    expect(originFault(plain, { method: 'GET', headers: {} })?.message).toBe(
      'The browser did not say which site this request is from. Browsers say so over HTTPS and on localhost only, and ' +
        'Safari since version 16.4. The address of the dashboard is http://wes.test:8080.',
    )
  })
})
