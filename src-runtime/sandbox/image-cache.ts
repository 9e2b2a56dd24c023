// Images of parked Executions. A replay of the journal restores a dropped image. An image of an Execution with little
// state takes 5 kB, so the shared host keeps some 4,500 of them. Compressing halves that at best, and replaying a short
// journal takes the Program host only 0.1 to 0.3 ms longer than reading an image: so some are dropped.

import type { Delta } from './page-delta.ts'
import type { Template } from './slot.ts'
import { createTenantCache } from './tenant-cache.ts'

export type ParkedImage = {
  readonly tenant: string
  readonly template: Template
  readonly turnsDone: number
  readonly delta: Delta
}

export type ImageCache = {
  /** Keeps the newest, however large: the next part of its replay may be about to run. */
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

const sizeOf = ({ delta }: ParkedImage): number => delta.changes.byteLength + OVERHEAD_BYTES

export const createImageCache = (mostBytes: number): ImageCache => {
  const images = createTenantCache(mostBytes, sizeOf)
  return {
    park: images.add,
    take: images.take,
    forget: images.take,
    forgetTemplate: (template) => images.takeAll((image) => image.template === template),
    get bytes() {
      return images.bytes
    },
    get count() {
      return images.count
    },
  }
}
