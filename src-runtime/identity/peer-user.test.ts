import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { isOfThisUser, usersOfPeer } from './peer-user.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0D95 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:D431 0100007F:0D95 01 00000000:00000000 00:00000000 00000000  1001        0 4712 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:0D95 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0000000000000000 20 4 30 10 -1
`

it('the user of a connection’s other end is in its own row', () => {
  expect(usersOfPeer(TABLE, { localPort: 0x0d95, remotePort: 0xd431 })).toEqual([1001])
  expect(usersOfPeer(TABLE, { localPort: 0x0d95, remotePort: 0xd432 })).toEqual([])
})

it('a connection of this process is of this user', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const [socket] = (await accepted) as [ReturnType<typeof connect>]
  expect(isOfThisUser(socket)).toBe(true)
})
