import { readFileSync } from 'node:fs'
import type { NativeImage, Size } from 'electron'
import { emulate } from '../emulate.ts'

/** PNG has its size in the header; other formats would need decoding. */
const sizeOf = (bytes: Buffer): Size =>
  bytes.subarray(1, 4).toString() === 'PNG'
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : { width: 0, height: 0 }

const createImage = (bytes: Buffer, size = sizeOf(bytes)): NativeImage => {
  let isTemplate = false
  return emulate<NativeImage>()('NativeImage#', {
    isEmpty: () => bytes.length === 0,
    toPNG: () => bytes,
    toDataURL: () => `data:image/png;base64,${bytes.toString('base64')}`,
    getSize: () => size,
    resize: ({ width = size.width, height = size.height }) => createImage(bytes, { width, height }),
    setTemplateImage: (isOne) => void (isTemplate = isOne),
    isTemplateImage: () => isTemplate,
  })
}

const readImage = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

export const nativeImage = emulate<Omit<typeof Electron.NativeImage, 'prototype'>>()('nativeImage', {
  createEmpty: () => createImage(Buffer.alloc(0)),
  createFromBuffer: (bytes: Buffer) => createImage(bytes),
  createFromDataURL: (url: string) => createImage(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')),
  createFromPath: (path: string) => createImage(readImage(path)),
})
