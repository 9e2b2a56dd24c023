import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  describeHolder,
  findPortHolder,
  listeningInodes,
  listeningProcess,
  parseLsof,
  programInTaskList,
} from './port-holder.ts'

describe('the process that listens on a port', () => {
  it('is found among the processes of this machine', async () => {
    const code = `const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))`
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const holder = await findPortHolder(Number(line.toString()))
    expect(holder?.pid).toBe(child.pid)
    expect(describeHolder(holder)).toMatch(/node.* \(process \d+\)$/)
  })

  it('is undefined, without an error, when the port is free', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    expect(await findPortHolder(port)).toBeUndefined()
    expect(describeHolder(undefined)).toBe('another process')
  })

  it('is read from the listening rows of /proc/net/tcp', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:0D95 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11111 1 0 100 0 0 10 0',
      '   1: 0100007F:0D95 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 22222 1 0 100 0 0 10 0',
      '   2: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 33333 1 0 100 0 0 10 0',
      '',
    ].join('\n')
    expect(listeningInodes(table, 3477)).toEqual(['11111'])
    expect(listeningInodes(table, 1)).toEqual([])
    expect(listeningInodes('', 3477)).toEqual([])
  })

  it('is read from the fields of lsof', () => {
    expect(parseLsof('p4711\ncControlCenter\nf7\n')).toEqual({ pid: 4711, command: 'ControlCenter' })
    expect(parseLsof('')).toBeUndefined()
  })

  it('is read from the rows of netstat and tasklist on Windows, in any language', () => {
    const table = [
      '',
      'Aktive Verbindungen',
      '',
      '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
      '  TCP    127.0.0.1:3477         127.0.0.1:50123        HERGESTELLT      77',
      '  TCP    127.0.0.1:13477        0.0.0.0:0              ABHÖREN          88',
      '  TCP    127.0.0.1:3477         0.0.0.0:0              ABHÖREN          4711',
      '  TCP    [::1]:3478             [::]:0                 ABHÖREN          99',
    ].join('\r\n')
    expect([3477, 3478, 1].map((port) => listeningProcess(table, port))).toEqual([4711, 99, undefined])
    expect(programInTaskList('\r\n"node.exe","4711","Console","1","45.672 K"\r\n')).toBe('node.exe')
    expect(programInTaskList('INFO: No tasks are running which match the specified criteria.')).toBeUndefined()
  })
})
