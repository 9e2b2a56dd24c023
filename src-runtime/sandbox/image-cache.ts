// Images of parked Executions: first raw, then compressed, then dropped. A replay of the journal restores a dropped
// image.

import { compressDelta, expandDelta, type CompressedDelta, type Delta } from './page-delta.ts'
import type { Template } from './slot.ts'

export type ParkedImage = { readonly template: Template; readonly turnsDone: number; readonly delta: Delta }

type Packed = { readonly template: Template; readonly turnsDone: number; readonly delta: CompressedDelta }

export type ImageCacheLimits = { readonly rawBytes: number; readonly compressedBytes: number }

export type ImageCache = {
  park(executionId: string, image: ParkedImage): void
  /** Returns the image and removes it from the cache. */
  take(executionId: string): ParkedImage | undefined
  forget(executionId: string): void
  /** Compresses a few images if too many are raw. Returns whether there is more to do. Call it while nobody waits. */
  tidy(): boolean
  /** Drops all images of a template. */
  forgetTemplate(template: Template): void
  readonly rawBytes: number
  readonly compressedBytes: number
  readonly count: number
}

/** Memory of a map entry and its objects. */
const OVERHEAD_BYTES = 500
/** Compressing takes longer than a turn, so under load the raw images may exceed their limit by this factor. */
const OVERDRAFT = 1.25
const TIDIED_AT_ONCE = 4

const rawSize = (image: ParkedImage): number => image.delta.runs.byteLength + OVERHEAD_BYTES
const packedSize = (image: Packed): number => image.delta.packed.length + OVERHEAD_BYTES

export const createImageCache = (limits: ImageCacheLimits): ImageCache => {
  // Maps keep insertion order: the first key is the least recently used.
  const raw = new Map<string, ParkedImage>()
  const packed = new Map<string, Packed>()
  let rawBytes = 0
  let compressedBytes = 0

  const removeRaw = (executionId: string): ParkedImage | undefined => {
    const image = raw.get(executionId)
    if (image === undefined) return undefined
    raw.delete(executionId)
    rawBytes -= rawSize(image)
    return image
  }

  const removePacked = (executionId: string): Packed | undefined => {
    const image = packed.get(executionId)
    if (image === undefined) return undefined
    packed.delete(executionId)
    compressedBytes -= packedSize(image)
    return image
  }

  const compressOldest = (downToBytes: number, most: number): void => {
    let done = 0
    for (const [executionId, image] of raw) {
      // Keep the newest, however large: the next part of its replay may be about to run.
      if (rawBytes <= downToBytes || raw.size === 1 || done++ >= most) return
      removeRaw(executionId)
      const { template, turnsDone } = image
      const small: Packed = { template, turnsDone, delta: compressDelta(image.delta, template.memory) }
      packed.set(executionId, small)
      compressedBytes += packedSize(small)
    }
  }

  const dropOldest = (): void => {
    for (const executionId of packed.keys()) {
      if (compressedBytes <= limits.compressedBytes) return
      removePacked(executionId)
    }
  }

  const forget = (executionId: string): void => {
    removeRaw(executionId)
    removePacked(executionId)
  }

  return {
    park: (executionId, image) => {
      forget(executionId)
      raw.set(executionId, image)
      rawBytes += rawSize(image)
      compressOldest(limits.rawBytes * OVERDRAFT, Number.POSITIVE_INFINITY)
      dropOldest()
    },
    tidy: () => {
      compressOldest(limits.rawBytes, TIDIED_AT_ONCE)
      dropOldest()
      return rawBytes > limits.rawBytes
    },
    take: (executionId) => {
      const image = removeRaw(executionId)
      if (image !== undefined) return image
      const small = removePacked(executionId)
      if (small === undefined) return undefined
      const { template, turnsDone, delta } = small
      return { template, turnsDone, delta: expandDelta(delta, template.memory) }
    },
    forget,
    forgetTemplate: (template) => {
      for (const [executionId, image] of raw) if (image.template === template) removeRaw(executionId)
      for (const [executionId, image] of packed) if (image.template === template) removePacked(executionId)
    },
    get rawBytes() {
      return rawBytes
    },
    get compressedBytes() {
      return compressedBytes
    },
    get count() {
      return raw.size + packed.size
    },
  }
}
