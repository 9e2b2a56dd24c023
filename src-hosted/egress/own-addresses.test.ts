import { expect, it } from 'vitest'
import { watchOwnAddresses } from './own-addresses.ts'

it('are those of hosts, as addresses of the service have them', async () => {
  const hosts = ['postgresql://wes@db.example/wes', 'https://[2001:DB8:0::7]:8443'].map((url) => new URL(url).hostname)
  const own = await watchOwnAddresses([...hosts, 'gone.example'], async (host) =>
    host === 'db.example' ? ['192.0.2.7'] : host === '2001:db8::7' ? [host] : Promise.reject(new Error('ENOTFOUND')),
  )
  expect([own().has('192.0.2.7'), own().has('2001:db8::7')]).toEqual([true, true])
})
