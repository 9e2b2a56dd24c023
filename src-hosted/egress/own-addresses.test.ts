import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchOwnAddresses } from './own-addresses.ts'

it('are those of hosts, as addresses of the service have them', async () => {
  const hosts = ['postgresql://wes@db.example/wes', 'https://[2001:DB8:0::7]:8443'].map((url) => new URL(url).hostname)
  const own = await watchOwnAddresses([...hosts, 'gone.example'], async (host) =>
    host === 'db.example' ? ['192.0.2.7'] : host === '2001:db8::7' ? [host] : Promise.reject(new Error('ENOTFOUND')),
  )
  expect([own.all().has('192.0.2.7'), own.all().has('2001:db8::7')]).toEqual([true, true])
  const closed = own.closed([
    { host: 'db.example', port: 5432 },
    { host: '[2001:db8::7]', port: 8443 },
    { host: 'gone.example', port: 80 },
  ])
  expect([...closed].map(([port, addresses]) => [port, ...addresses])).toEqual([
    [5432, '192.0.2.7'],
    [8443, '2001:db8::7'],
    [80],
  ])
})

it('of a host stay the same while it cannot be looked up, and then are those of now', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const answers = [['192.0.2.7'], undefined, ['192.0.2.8']]
  const own = await watchOwnAddresses(['db.example'], async () => {
    const answer = answers.shift()
    if (answer === undefined) throw new Error('EAI_AGAIN')
    return answer
  })
  const known = () => ['192.0.2.7', '192.0.2.8'].filter((address) => own.all().has(address))
  await vi.advanceTimersByTimeAsync(30_000)
  expect([answers.length, known()]).toEqual([1, ['192.0.2.7']])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(known()).toEqual(['192.0.2.8'])
})

it('of this machine are closed at each of its addresses', async () => {
  // Debian resolves the name of the machine itself to 127.0.1.1.
  const own = await watchOwnAddresses(['here.example'], async () => ['127.0.1.1'])
  const machine = Object.values(networkInterfaces()).flatMap((ones) => (ones ?? []).map(({ address }) => address))
  const expected = new Set(machine.filter((address) => address !== '::1'))
  for (const host of ['127.0.0.1', 'here.example', '0.0.0.0'])
    expect(own.closed([{ host, port: 9070 }])).toEqual(new Map([[9070, expected]]))
})
