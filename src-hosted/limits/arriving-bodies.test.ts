import { expect, it } from 'vitest'
import { createArrivingBodies } from './arriving-bodies.ts'

const MEBIBYTE = 1024 ** 2

/** Sends as many bytes of a body as given; settles once they have passed, and tells of the body's end by an error. */
const start = (bodies: ReturnType<typeof createArrivingBodies>, workspaceId: string) => {
  const { stream, giveBack } = bodies.begin(workspaceId)
  stream.resume()
  const refused = new Promise<Error>((resolve) => stream.once('error', resolve))
  const send = (bytes: number) => new Promise<void>((sent) => stream.write(Buffer.alloc(bytes), () => sent()))
  const end = () => new Promise<void>((ended) => stream.once('end', ended).end())
  return { send, end, refused, giveBack }
}

const fill = async (bodies: ReturnType<typeof createArrivingBodies>, workspaceId: string) => {
  const one = start(bodies, workspaceId)
  await one.send(64 * MEBIBYTE + 64 * 1024)
  return one
}

it('refuses the oldest body that is slow to arrive once another one waits', async () => {
  const bodies = createArrivingBodies({ slowMs: 0 })
  const slow = await fill(bodies, 'wsp_1')
  await start(bodies, 'wsp_1').send(MEBIBYTE)
  expect(await slow.refused).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } })
})

it('refuses no body that has arrived, nor one of another workspace', async () => {
  const bodies = createArrivingBodies({ slowMs: 0, waitMs: 1_000 })
  const other = start(bodies, 'wsp_2')
  await other.send(MEBIBYTE)
  const arrived = await fill(bodies, 'wsp_1')
  await arrived.end()
  const late = start(bodies, 'wsp_1')
  void late.send(MEBIBYTE)
  // Of all, only itself could make way.
  expect(await late.refused).toMatchObject({ code: 'unavailable' })
  await other.send(MEBIBYTE)
  arrived.giveBack()
  await start(bodies, 'wsp_1').send(MEBIBYTE)
})

it('lets bodies wait until an answer gives room back', async () => {
  const bodies = createArrivingBodies()
  const first = await fill(bodies, 'wsp_1')
  const waits = start(bodies, 'wsp_1')
  const sent = waits.send(MEBIBYTE).then(() => 'sent')
  first.giveBack()
  first.giveBack()
  expect(await Promise.race([sent, waits.refused])).toBe('sent')
})

it('counts nothing of bodies up to 64 KiB', async () => {
  const bodies = createArrivingBodies({ waitMs: 0 })
  await fill(bodies, 'wsp_1')
  const small = start(bodies, 'wsp_1')
  const sent = small.send(64 * 1024).then(() => 'sent')
  expect(await Promise.race([sent, small.refused])).toBe('sent')
})

it('keeps no room for a body whose caller leaves while it takes some', async () => {
  const bodies = createArrivingBodies()
  const left = start(bodies, 'wsp_1')
  void left.send(128 * 1024)
  left.giveBack()
  const next = start(bodies, 'wsp_1')
  const sent = next.send(64 * MEBIBYTE + 64 * 1024).then(() => 'sent')
  expect(await Promise.race([sent, next.refused])).toBe('sent')
})
