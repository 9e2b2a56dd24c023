// Makes the parts of a host from the sources, and the files that a build carries so that its hosts start faster.

import { compileEngine, ENGINE_FILES, type EngineFile } from './engine-files.ts'
import { readGuestSource } from './guest-source.ts'
import { LAYOUT_FILE, MEMORY_FILE, type BootLayout, type HostParts } from './host-parts.ts'
import { noteWrites } from './note-writes.ts'
import { readPinned } from './pinned-engine.ts'
import { createSlot } from './slot.ts'
import { bootTemplate } from './template.ts'

const readEngine = (file: EngineFile): Buffer<ArrayBuffer> => noteWrites(readPinned(file))

export const makeHostParts = (): HostParts => {
  const guestSource = readGuestSource()
  return { engine: compileEngine(readEngine), boot: (slot) => bootTemplate(slot, guestSource) }
}

/** By file name in `BOOT_FOLDER`. Every process makes the same content. */
export const makeBootFiles = (): ReadonlyMap<string, Buffer> => {
  const { engine, boot } = makeHostParts()
  const slot = createSlot(engine)
  const { memory, addresses } = boot(slot)
  const { stackTop, machine } = slot
  const initialised = { memoryBytes: stackTop + memory.bytes.length, extensionsAt: machine.extensionsAt }
  const layout: BootLayout = { stackTop, initialised, addresses }
  return new Map([
    ...ENGINE_FILES.map((engineFile) => [engineFile.file, readEngine(engineFile)] as const),
    [MEMORY_FILE, memory.bytes],
    [LAYOUT_FILE, Buffer.from(JSON.stringify(layout))],
  ])
}
