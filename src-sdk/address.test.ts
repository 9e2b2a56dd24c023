import { describe, expect, it } from 'vitest'
import { DEFAULT_URL } from '../src-renderer/parts/default-address.ts'
import { DEFAULT_PORT } from '../src-runtime/shared/default-port.ts'
import { chooseAddress, HOSTED_BASE_URL, LOCAL_BASE_URL } from './address.ts'

const API = 'https://api.test/base'
const RUNTIME = 'http://runtime.test:9'

const choose = (
  options: Parameters<typeof chooseAddress>[0],
  env: Readonly<Record<string, string>>,
  pageProtocol?: string,
) => chooseAddress(options, (name) => env[name] || undefined, pageProtocol)

describe('the address of a client', () => {
  it.each([
    ['nothing', {}, {}, LOCAL_BASE_URL],
    ['SERVICE_RUNTIME_URL', {}, { SERVICE_RUNTIME_URL: RUNTIME }, RUNTIME],
    ['an empty SERVICE_RUNTIME_URL', {}, { SERVICE_RUNTIME_URL: '' }, LOCAL_BASE_URL],
    ['SERVICE_API_BASE_URL without a token', {}, { SERVICE_API_BASE_URL: API }, LOCAL_BASE_URL],
    ['a token', { token: 't' }, {}, HOSTED_BASE_URL],
    ['a token in the environment', {}, { SERVICE_TOKEN: 't' }, HOSTED_BASE_URL],
    ['an empty token in the environment', {}, { SERVICE_TOKEN: '', SERVICE_API_BASE_URL: API }, LOCAL_BASE_URL],
    ['a token and SERVICE_API_BASE_URL', { token: 't' }, { SERVICE_API_BASE_URL: API }, API],
    ['a token and an empty SERVICE_API_BASE_URL', { token: 't' }, { SERVICE_API_BASE_URL: '' }, HOSTED_BASE_URL],
    ['a token and SERVICE_RUNTIME_URL', { token: 't' }, { SERVICE_RUNTIME_URL: RUNTIME }, HOSTED_BASE_URL],
    [
      'both in the environment',
      {},
      { SERVICE_TOKEN: 't', SERVICE_API_BASE_URL: API, SERVICE_RUNTIME_URL: RUNTIME },
      API,
    ],
    ['an address', { url: 'http://a.test' }, { SERVICE_TOKEN: 't', SERVICE_API_BASE_URL: API }, 'http://a.test'],
    ['an address and a token', { url: 'http://a.test', token: 't' }, { SERVICE_API_BASE_URL: API }, 'http://a.test'],
    ['an empty address', { url: '' }, { SERVICE_RUNTIME_URL: RUNTIME }, RUNTIME],
    ['a path', { url: 'http://a.test:1/b/c' }, {}, 'http://a.test:1/b/c'],
    ['slashes at the end', { url: 'http://a.test/b//' }, {}, 'http://a.test/b'],
    ['slashes at the end, in the environment', {}, { SERVICE_RUNTIME_URL: `${RUNTIME}///` }, RUNTIME],
  ])('with %s', (_what, options, env, expected) => {
    expect(choose(options, env).baseUrl).toBe(expected)
  })

  it('finds a local runtime on its default port, as the page says', () => {
    expect([LOCAL_BASE_URL, DEFAULT_URL]).toEqual(Array(2).fill(`http://localhost:${DEFAULT_PORT}`))
  })

  it('prefers the token option to the environment', () => {
    expect(choose({ token: 'mine' }, { SERVICE_TOKEN: 'other' }).token).toBe('mine')
    expect(choose({}, { SERVICE_TOKEN: 'other' }).token).toBe('other')
    expect(choose({}, {})).not.toHaveProperty('token')
  })

  it('may have the scheme of the page', () => {
    expect(choose({ url: 'app://wes/local/' }, {}, 'app:').baseUrl).toBe('app://wes/local')
    expect(choose({ url: 'HTTPS://a.test' }, {}, 'app:').baseUrl).toBe('HTTPS://a.test')
  })

  it.each(['ftp://a.test', 'app://wes/local', 'ws://a.test', 'file:///etc/hosts'])(
    'refuses the scheme of %s',
    (url) => {
      expect(() => choose({ url }, {})).toThrow(TypeError)
      expect(() => choose({}, { SERVICE_RUNTIME_URL: url })).toThrow(TypeError)
    },
  )

  it.each(['http://localhost:99999', 'http://localhost:x', 'http://[::1', 'https://256.0.0.1'])(
    'refuses %s, which no fetch can parse',
    (url) => {
      expect(() => choose({ url }, {})).toThrow('no valid host or port')
    },
  )

  it.each(['localhost:3477', '/local', 'http://', 'http://a.test/?x=1', 'http://a.test/#x', 'http://a b'])(
    'refuses %s',
    (url) => {
      expect(() => choose({ url }, {})).toThrow(TypeError)
    },
  )

  it('refuses what is not a string, and says so', () => {
    const url = new URL('http://a.test') as unknown as string
    expect(() => choose({ url }, {})).toThrow('The address must be a string')
  })

  it.each(['http://me:hunter2@a.test', 'me:hunter2@a.test', 'http://a.test/?key=hunter2', 'http://a.test/#hunter2'])(
    'refuses a secret in the address, and does not print it: %s',
    (url) => {
      expect(() => choose({ url }, {})).toThrow(/^(?!.*hunter2)The address/)
    },
  )

  it.each(['a\nb', 'a b', 'ä'])('refuses a token that is not valid in a header, and does not print it', (token) => {
    expect(() => choose({ token }, {})).toThrow('The token holds characters that no header can carry')
  })

  it.each([
    [{ SERVICE_RUNTIME_URL: 'localhost:3477' }, 'SERVICE_RUNTIME_URL must be absolute'],
    [{ SERVICE_TOKEN: 't', SERVICE_API_BASE_URL: 'https://a.test/?b' }, 'SERVICE_API_BASE_URL must have no query'],
    [{ SERVICE_TOKEN: 'a b' }, 'SERVICE_TOKEN holds characters that no header can carry'],
  ])('names the variable that it refuses: %j', (environment, message) => {
    expect(() => choose({}, environment)).toThrow(message)
  })
})
