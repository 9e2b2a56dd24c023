// Images of parked Executions. A replay of the journal restores a dropped image. An image of an Execution with little
// state takes 5 kB, so the shared host keeps some 4,500 of them. Compressing halves that at best, and replaying a short
// journal takes the Program host only 0.1 to 0.3 ms longer than reading an image: so the oldest ones are dropped.

import type { Delta } from './page-delta.ts'
import type { Template } from './slot.ts'

export type ParkedImage = { readonly template: Template; readonly turnsDone: number; readonly delta: Delta }

export type ImageCache = {
  park(executionId: string, image: ParkedImage): void
  /** Returns the image and removes it from the cache. */
  take(executionId: string): ParkedImage | undefined
  forget(executionId: string): void
  /** Drops all images of a template. */
  forgetTemplate(template: Template): void
  readonly bytes: number
  readonly count: number
}

/** Memory of a map entry and its objects. */
const OVERHEAD_BYTES = 500

const sizeOf = (image: ParkedImage): number => image.delta.runs.byteLength + OVERHEAD_BYTES

export const createImageCache = (mostBytes: number): ImageCache => {
  // Maps keep insertion order: the first key is the least recently used.
  const images = new Map<string, ParkedImage>()
  let bytes = 0

  const take = (executionId: string): ParkedImage | undefined => {
    const image = images.get(executionId)
    if (image === undefined) return undefined
    images.delete(executionId)
    bytes -= sizeOf(image)
    return image
  }

  return {
    park: (executionId, image) => {
      take(executionId)
      images.set(executionId, image)
      bytes += sizeOf(image)
      for (const oldest of images.keys()) {
        // Keep the newest, however large: the next part of its replay may be about to run.
        if (bytes <= mostBytes || images.size === 1) return
        take(oldest)
      }
    },
    take,
    forget: take,
    forgetTemplate: (template) => {
      for (const [executionId, image] of images) if (image.template === template) take(executionId)
    },
    get bytes() {
      return bytes
    },
    get count() {
      return images.size
    },
  }
}
