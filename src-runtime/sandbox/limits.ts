// Memory limits of Programs and hosts. Limits that the guest checks itself are in guest/limits.js.

const KIB = 1024
const MIB = 1024 * KIB

/** What is noted and compared as one: a turn writes a few words in each of some 200 areas of memory. Smaller ones make a noop slower. */
export const PAGE_BYTES = 128
export const WASM_PAGE_BYTES = 64 * KIB

export const GUEST_LIMITS = { memoryBytes: 64 * MIB, stackBytes: 160 * KIB } as const

/** The engine's own limit does not count the memory of its URL parser. Above this, a Program is out of memory too. */
export const LARGEST_MEMORY_BYTES = 256 * MIB

/** A slot with more memory is replaced, because WebAssembly memory never shrinks. */
export const LARGEST_KEPT_SLOT_BYTES = 16 * MIB
/** With more than this in all slots together, grown ones are replaced sooner. */
export const SLOT_MEMORY_BYTES = 192 * MIB
export const GROWN_SLOT_BYTES = 4 * MIB

/** UTF-8 bytes of a result's JSON. */
export const LARGEST_RESULT_BYTES = MIB

/** An activation ends with the live turn with which their output reaches this many characters. One turn may have more. */
export const OUTPUT_CHARS = 4 * MIB

/** Slots that an idle host keeps. */
export const IDLE_SLOTS = 2

/**
 * What a host keeps, by its role. A slot costs about 1 MB. An Execution that stays in its slot between turns runs twice
 * as fast as one that must be swapped in. An idle shared host keeps at most 32 MB of parked Executions, however many
 * there are: their images, and two slots. The process takes more, because it does not give back memory that is freed between images.
 */
export const RUNNER_LIMITS = {
  shared: {
    slots: 40,
    outputChars: OUTPUT_CHARS,
    templateBytes: 64 * MIB,
    programBytes: 64 * MIB,
    imageBytes: 24 * MIB,
  },
  alone: {
    slots: 2,
    outputChars: OUTPUT_CHARS,
    templateBytes: 16 * MIB,
    programBytes: 64 * MIB,
    imageBytes: 32 * MIB,
  },
} as const
