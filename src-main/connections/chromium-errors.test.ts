import { expect, it } from 'vitest'
import { noAnswer } from '../../src-runtime/connections/service-problems.ts'
import { nodeError } from './chromium-errors.ts'

it('an error of Chromium’s network is said like the same one of Node’s, and one of the proxy names the proxy', () => {
  const target = { address: 'https://wes.example.com', label: 'Acme (wes.example.com)' }
  const said = (name: string) => noAnswer(target, nodeError(new Error(`net::${name}`))).message
  expect(said('ERR_NAME_NOT_RESOLVED')).toBe(
    'Acme (wes.example.com) cannot be reached: there is no host wes.example.com. Check the address.',
  )
  expect(said('ERR_FILE_NOT_FOUND')).toBe(
    'Acme (wes.example.com) cannot be reached: the request failed (ERR_FILE_NOT_FOUND). Try again.',
  )
  for (const name of ['ERR_PROXY_CONNECTION_FAILED', 'ERR_TUNNEL_CONNECTION_FAILED', 'ERR_SOCKS_CONNECTION_FAILED']) {
    expect(said(name)).toContain(`the proxy of the system’s settings does not connect to it (net::${name}). `)
  }
  expect(said('ERR_CERT_AUTHORITY_INVALID')).toMatch(/this computer does not trust who signed it\. .* of the system/)
  expect(said('ERR_CERT_AUTHORITY_INVALID')).not.toContain('NODE_EXTRA_CA_CERTS')
})
