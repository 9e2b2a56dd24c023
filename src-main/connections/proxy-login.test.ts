import { expect, it } from 'vitest'
import { createProxyLogin } from './proxy-login.ts'

const PROXY = { isProxy: true, scheme: 'basic', host: 'proxy.example.com', port: 3128, realm: 'Acme' }
const NAMED = 'http://ada:p%40ss@proxy.example.com:3128'

const given = (named: string | undefined, asked: Partial<typeof PROXY> = {}, times = 1): readonly unknown[] => {
  const login = createProxyLogin({ HTTPS_PROXY: named })
  let last: readonly unknown[] = ['none']
  for (let time = 1; time <= times; time += 1) login({ ...PROXY, ...asked }, (...answer) => (last = answer))
  return last
}

it('the proxy that HTTPS_PROXY names gets its user name and password', () => {
  expect(given(NAMED)).toEqual(['ada', 'p@ss'])
  expect(given('proxy.example.com:3128')).toEqual([])
  expect(given('https://ada:x@proxy.example.com', { port: 443 })).toEqual(['ada', 'x'])
})

it('nobody else gets them, and a proxy that refuses them not for ever', () => {
  for (const other of [{ isProxy: false }, { host: 'other.example.com' }, { port: 8080 }]) {
    expect(given(NAMED, other)).toEqual([])
  }
  for (const named of [undefined, '', 'socks5://ada:x@proxy.example.com:3128', 'http://a%:b@proxy.example.com:3128']) {
    expect(given(named)).toEqual([])
  }
  expect(given(NAMED, {}, 20)).toEqual([])
})
