import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { build } from './call-esbuild.ts'

it('starts another process when the one before was killed', async () => {
  const children: ChildProcess[] = []
  subscribe('child_process', (message) => children.push((message as { readonly process: ChildProcess }).process))
  const errors = async () => (await build({ stdin: { contents: '1' }, write: false })).errors
  expect(await errors()).toEqual([])
  children[0]!.kill('SIGKILL')
  await expect.poll(errors).toEqual([])
  expect(children).toHaveLength(2)
})
