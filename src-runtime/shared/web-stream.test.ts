import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { webStream } from './web-stream.ts'

describe('a Node stream as a web stream', () => {
  it('has all bytes for a slow reader, with a small buffer', async () => {
    const chunks = Array.from({ length: 64 }, (_, index) => Buffer.alloc(32_768, index))
    let made = 0
    const source = Readable.from(
      (function* () {
        for (const chunk of chunks) {
          made += 1
          yield chunk
        }
      })(),
    )
    const reader = webStream(source).getReader()
    const first = await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toBeLessThan(32)
    const parts = [first.value]
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
    expect(Buffer.concat(parts as Uint8Array[]).equals(Buffer.concat(chunks))).toBe(true)
  })

  it('destroys its source when it is cancelled, and ignores later data', async () => {
    const thrown = vi.fn()
    process.on('uncaughtException', thrown)
    try {
      const source = new PassThrough()
      const reader = webStream(source).getReader()
      source.write('one')
      expect(Buffer.from((await reader.read()).value!).toString()).toBe('one')
      source.write('two')
      await reader.cancel()
      source.emit('data', Buffer.from('three'))
      await vi.waitUntil(() => source.destroyed)
      expect(thrown).not.toHaveBeenCalled()
    } finally {
      process.off('uncaughtException', thrown)
    }
  })

  it.each([
    ['fails', (source: PassThrough) => source.destroy(new Error('no more')), 'no more'],
    ['is cut off', (source: PassThrough) => source.destroy(), 'cut off'],
  ])('fails if its source %s', async (_how, act, message) => {
    const source = new PassThrough()
    const reader = webStream(source).getReader()
    act(source)
    await expect(reader.read()).rejects.toThrow(message)
  })
})
