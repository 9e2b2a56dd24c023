import { expect, it } from 'vitest'
import { ordinaryUser } from './unprivileged.ts'

it('takes a user who has a name and is not root', () => {
  const root = 'root:x:0:0:root:/root:/bin/bash'
  const nobody = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin'
  const node = 'node:x:1000:1001::/home/node:/bin/sh'
  expect(ordinaryUser(`${root}\n${nobody}\n${node}\n`)).toEqual({ uid: 65534, gid: 65533 })
  expect(ordinaryUser(`${root}\n${node}\n`)).toEqual({ uid: 1000, gid: 1001 })
  expect(ordinaryUser(`${root}\n`)).toEqual({ uid: 1000, gid: 1000 })
})
