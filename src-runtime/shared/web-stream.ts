// Converts a Node stream to a web stream. Node's own `Readable.toWeb` throws outside of any promise, and so ends the
// app, when data arrives after the reader has cancelled.

import type { Readable } from 'node:stream'

/** `whenCancelled`: what happens to the source when its reader needs no more of it. */
export const webStream = (
  source: Readable,
  whenCancelled: 'destroy' | 'drain' = 'destroy',
): ReadableStream<Uint8Array> => {
  let isOver = false
  const end = (act: () => void): void => {
    if (isOver) return
    isOver = true
    act()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        source.pause()
        source.on('data', (chunk: Buffer) => {
          if (isOver) return
          controller.enqueue(new Uint8Array(chunk))
          if ((controller.desiredSize ?? 0) <= 0) source.pause()
        })
        source.pause()
        source.on('end', () => end(() => controller.close()))
        source.on('error', (error) => end(() => controller.error(error)))
        source.on('close', () => end(() => controller.error(new Error('the answer was cut off'))))
      },
      pull: () => void source.resume(),
      cancel: () => end(() => void (whenCancelled === 'drain' ? source.resume() : source.destroy())),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
  )
}
