// What a build of the runtime prepares for its hosts: the checked engine, and the memory with the engine initialised and the
// guest runtime evaluated. It halves the start time of a host.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileEngine, type EngineModules, type InitialisedMemory } from './engine-files.ts'
import { baseMemory } from './page-delta.ts'
import type { GuestAddresses, Slot, Template } from './slot.ts'

export type HostParts = {
  readonly engine: EngineModules
  /** Makes the template that holds the guest runtime and no Program; may use the slot. */
  readonly boot: (slot: Slot) => Template
}

/** Beside this module in a build; absent in the sources. */
export const BOOT_FOLDER = join(import.meta.dirname, 'boot')

export const MEMORY_FILE = 'memory.bin'
export const LAYOUT_FILE = 'layout.json'

export type BootLayout = {
  readonly stackTop: number
  readonly initialised: InitialisedMemory
  readonly addresses: GuestAddresses
}

/** Reads the files of `makeBootFiles`. */
export const readHostParts = (folder: string): HostParts => {
  const read = (file: string): Buffer<ArrayBuffer> => readFileSync(join(folder, file))
  const layout = JSON.parse(read(LAYOUT_FILE).toString()) as BootLayout
  return {
    engine: { ...compileEngine(({ file }) => read(file)), initialised: layout.initialised },
    boot: ({ stackTop }) => {
      if (stackTop !== layout.stackTop) throw new Error('The engine is not the one that this build was made with')
      return { memory: baseMemory(read(MEMORY_FILE), stackTop), addresses: layout.addresses, hasLabel: false }
    },
  }
}
