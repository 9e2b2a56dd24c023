import { describe, expect, it } from 'vitest'
import { ConnectionProblem } from './problems.ts'
import { idFor, isSameName, nameFault } from './name-rules.ts'
import { parseAddress } from './service-address.ts'
import { healthFault } from './service-check.ts'
import { noAnswer, notJson, redirected } from './service-problems.ts'

describe('a name', () => {
  it.each(['Acme', 'Acme EU (staging)', 'Büro', '日本', '👩‍👩‍👧', 'x'.repeat(60), '👩'.repeat(60)])('may be %s', (name) => {
    expect(nameFault(name)).toBeUndefined()
  })

  it.each([
    '',
    ' ',
    ' a',
    'a ',
    'a\0b',
    'a\nb',
    'a\u2028b',
    'a\u202eb',
    '\ud800',
    'x'.repeat(61),
    'Local',
    'LOCAL',
    'ｌｏｃａｌ',
  ])('may not be %j', (name) => {
    expect(nameFault(name)).toMatch(/\.$/)
  })

  it('is the same in capitals', () => {
    expect(isSameName('Acme', 'ACME')).toBe(true)
    expect(isSameName('Acme', 'Acme 2')).toBe(false)
  })

  it.each([
    ['Acme EU (staging)', [], 'acme-eu-staging'],
    ['Büro', [], 'buro'],
    ['日本', [], 'connection'],
    ['--', [], 'connection'],
    ['hosted', [], 'hosted-2'],
    ['Test', [], 'test-2'],
    ['current', ['current-2'], 'current-3'],
    ['acme', ['acme', 'acme-2'], 'acme-3'],
    ['x'.repeat(60), [], 'x'.repeat(40)],
    ['x'.repeat(60), ['x'.repeat(40)], `${'x'.repeat(38)}-2`],
    [`${'x'.repeat(39)} y`, [], 'x'.repeat(39)],
  ])('%s, beside %j, makes the id %s', (name, taken, id) => {
    expect(idFor(name, (one) => taken.includes(one))).toBe(id)
    expect(id).toMatch(/^[a-z0-9-]{1,40}$/)
  })
})

describe('an address', () => {
  it.each([
    ['https://wes.example.com', 'https://wes.example.com'],
    ['  https://wes.example.com/ ', 'https://wes.example.com'],
    ['HTTPS://WES.Example.COM:443/Prefix//', 'https://wes.example.com/Prefix'],
    ['https://wes.example.com:8443/a/../b', 'https://wes.example.com:8443/b'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.2:8080/', 'http://127.0.0.2:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['https://10.0.0.1', 'https://10.0.0.1'],
  ])('%s is %s', (text, address) => {
    expect(parseAddress(text)).toEqual({ kind: 'address', address })
  })

  it.each([
    '',
    'wes.example.com',
    'localhost:8080',
    'https:wes.example.com',
    'https:///wes.example.com',
    'ftp://wes.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://wes.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://0.0.0.0:1',
    'https://user@wes.example.com',
    'https://user:secret@wes.example.com',
    'https://:secret@wes.example.com',
    'https://wes.example.com?a=b',
    'https://wes.example.com/?',
    'https://wes.example.com/#',
    'https://wes.example.com:99999',
    'https://exa mple.com',
  ])('may not be %s', (text) => {
    const parsed = parseAddress(text)
    expect(parsed.kind).toBe('wrong')
    expect(JSON.stringify(parsed)).not.toContain('secret')
  })
})

const TARGET = { address: 'https://wes.acme.example', label: 'Acme (wes.acme.example)' }
const OURS = { service: 'workflow-execution-service', mode: 'hosted', version: '0.2.3' }

describe('what /healthz says', () => {
  it.each<[string, number, unknown, string | undefined]>([
    ['a hosted service', 200, OURS, undefined],
    ['an older version', 200, { ...OURS, version: '0.1.9' }, undefined],
    ['the next version before 1.0', 200, { ...OURS, version: '0.3.0' }, 'newer_service'],
    ['the next version', 200, { ...OURS, version: '1.0.0' }, 'newer_service'],
    ['a version that is no number', 200, { ...OURS, version: 'x' }, undefined],
    ['a local runtime', 200, { ...OURS, mode: 'local' }, 'wrong_service'],
    ['another service', 200, { service: 'grafana' }, 'wrong_service'],
    ['other JSON', 200, { status: 'ok' }, 'wrong_service'],
    ['null', 200, null, 'wrong_service'],
    ['nothing here', 404, { error: { code: 'not_found' } }, 'wrong_service'],
    ['that it stops', 503, { error: { code: 'unavailable' } }, 'unreachable'],
    ['too many requests', 429, { error: { code: 'rate_limited' } }, 'unreachable'],
    ['no JSON', 200, undefined, 'not_the_service'],
  ])('%s', (_what, status, health, code) => {
    expect(healthFault(TARGET, status, health, '0.2.0')?.code).toBe(code)
  })
})

describe('a problem', () => {
  const codes = [
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'EHOSTUNREACH',
    'CERT_HAS_EXPIRED',
    'CERT_REVOKED',
    'CERT_REJECTED',
    'EPROTO',
    'ECONNRESET',
    'EWHAT',
  ]
  const sentences = [
    ...codes.map((code) => noAnswer(TARGET, Object.assign(new Error('x'), { code }))),
    noAnswer(TARGET, new AggregateError([Object.assign(new Error('x'), { code: 'ENETUNREACH' })], 'x')),
    redirected(TARGET, 'https://user:secret@login.example/path?secret=1'),
    redirected(TARGET, 'https://['),
    redirected(TARGET, null),
    notJson(TARGET, 200, 'text/html'),
    notJson(TARGET, 502, 'text/html'),
    notJson(TARGET, 413, 'text/html'),
    notJson(TARGET, 200, null),
    ...[{ service: 'x' }, { ...OURS, mode: 'local' }, { ...OURS, version: '7.0.0' }].map((health) =>
      healthFault(TARGET, 200, health, '0.1.0'),
    ),
  ].filter((problem) => problem instanceof ConnectionProblem)

  it('names the connection and its host, says what to do, and has no secret of a location', () => {
    const texts = sentences.map(({ message }) => message)
    for (const text of texts) {
      expect(text).toMatch(/^(?:What is in front of )?Acme \(wes\.acme\.example\) .*[.?]$/)
      expect(text).not.toContain('secret')
    }
    // Two hosts without a way to them, and two redirects without a readable location.
    expect(new Set(texts).size).toBe(texts.length - 2)
  })

  it('is not one of the address while what is in front of the service refuses many requests, or does not reach it', () => {
    const codes = [200, 404, 413, 429, 500, 502, 503, 504, 521, 522, 530].map(
      (status) => notJson(TARGET, status, 'text/html').code,
    )
    expect(codes).toEqual([
      'not_the_service',
      'not_the_service',
      'payload_too_large',
      ...Array.from({ length: 8 }, () => 'unreachable'),
    ])
  })
})
