// Rewrites a module of the engine so that it notes which pages of its memory it writes. Each instruction that writes to
// memory is followed by one that sets the page's byte in a second memory, the notes. No other instruction names that
// memory: even a Program that has taken over the engine cannot write a page without a note, or remove one.

import { noteWritesInFunction } from './note-writes-in-function.ts'
import { NOTES_WASM_PAGES } from './written-notes.ts'
import { WasmReader, WasmWriter } from './wasm-bytes.ts'

type Section = { readonly id: number; readonly content: Uint8Array }

const HEADER_BYTES = 8
const [TYPES, IMPORTS, FUNCTIONS, MEMORIES, CODE] = [1, 2, 3, 5, 10]
const FUNCTION_TYPE = 0x60
/** Kinds of imports. */
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3]
const HAS_MAXIMUM = 1

const readSections = (module: Uint8Array): readonly Section[] => {
  const reader = new WasmReader(module, HEADER_BYTES)
  const sections: Section[] = []
  while (reader.hasMore) sections.push({ id: reader.byte(), content: reader.take(reader.u32()) })
  return sections
}

const contentOf = (sections: readonly Section[], id: number | undefined): WasmReader =>
  new WasmReader(sections.find((section) => section.id === id)?.content ?? Uint8Array.of(0))

const skipLimits = (reader: WasmReader): void => {
  const flags = reader.byte()
  if (flags > HAS_MAXIMUM) throw new Error('A module of the engine has a memory or table of an unknown kind')
  reader.skipNumber()
  if (flags === HAS_MAXIMUM) reader.skipNumber()
}

/** The number of parameters of each function that the module defines. */
const readParameters = (sections: readonly Section[]): readonly number[] => {
  const types = contentOf(sections, TYPES)
  const parameters = Array.from({ length: types.u32() }, () => {
    if (types.byte() !== FUNCTION_TYPE) throw new Error('A module of the engine has a type that is no function')
    const count = types.u32()
    types.skip(count)
    types.skip(types.u32())
    return count
  })
  const functions = contentOf(sections, FUNCTIONS)
  return Array.from({ length: functions.u32() }, () => parameters[functions.u32()] ?? 0)
}

const countImportedMemories = (sections: readonly Section[]): number => {
  const imports = contentOf(sections, IMPORTS)
  let memories = 0
  for (let left = imports.u32(); left > 0; left--) {
    imports.skip(imports.u32())
    imports.skip(imports.u32())
    const kind = imports.byte()
    if (kind === FUNCTION) imports.skipNumber()
    else if (kind === GLOBAL) imports.skip(2)
    else if (kind === TABLE) {
      imports.skip(1)
      skipLimits(imports)
    } else if (kind === MEMORY) {
      skipLimits(imports)
      memories++
    } else throw new Error('A module of the engine has an import of an unknown kind')
  }
  return memories
}

/** The memory comes first, and the notes second. A memory that the module defined becomes an import. */
const importsWithNotes = (sections: readonly Section[]): Uint8Array => {
  const imports = contentOf(sections, IMPORTS)
  const memories = contentOf(sections, MEMORIES)
  const defined = memories.u32()
  if (defined + countImportedMemories(sections) !== 1) throw new Error('A module of the engine has not one memory')
  const written = new WasmWriter().u32(imports.u32() + defined + 1)
  written.add(imports.rest())
  if (defined === 1) written.text('env').text('memory').byte(MEMORY).add(memories.rest())
  return written
    .text('env')
    .text('notes')
    .byte(MEMORY)
    .byte(HAS_MAXIMUM)
    .u32(NOTES_WASM_PAGES)
    .u32(NOTES_WASM_PAGES)
    .done()
}

const codeWithNotes = (sections: readonly Section[]): Uint8Array => {
  const parameters = readParameters(sections)
  const code = contentOf(sections, CODE)
  const written = new WasmWriter().u32(code.u32())
  for (const count of parameters) written.sized(noteWritesInFunction(code.take(code.u32()), count))
  return written.done()
}

export const noteWrites = (module: Uint8Array): Buffer<ArrayBuffer> => {
  const sections = readSections(module)
  const written = new WasmWriter().add(module.subarray(0, HEADER_BYTES))
  for (const section of sections) {
    const { id, content } = section
    if (id === MEMORIES) continue
    written.byte(id)
    if (id === IMPORTS) written.sized(importsWithNotes(sections))
    else if (id === CODE) written.sized(codeWithNotes(sections))
    else written.sized(content)
  }
  return written.done()
}
