// What a Program may use, and how long the others wait for it. Limits that the guest watches itself are in
// guest/limits.js.

const KIB = 1024
const MIB = 1024 * KIB

export const PAGE_BYTES = 4096

export const GUEST_LIMITS = { memoryBytes: 64 * MIB, stackBytes: 160 * KIB } as const

/** The engine's own limit does not count what its URL parser takes: above this the Program is out of memory as well. */
export const LARGEST_MEMORY_BYTES = 256 * MIB
/** A memory that has grown to this is full, but for what the engine could not use. */
export const FULL_MEMORY_BYTES = 60 * MIB

/** A slot whose memory grew beyond this is replaced: memory of WebAssembly never shrinks. */
export const LARGEST_KEPT_SLOT_BYTES = 16 * MIB
/** With more than this in all slots together, grown ones are replaced sooner. */
export const SLOT_MEMORY_BYTES = 192 * MIB
export const GROWN_SLOT_BYTES = 4 * MIB

/** UTF-8 bytes of a result's JSON, and how deep it may nest. */
export const LARGEST_RESULT_BYTES = MIB
export const DEEPEST_RESULT = 256

/** A host that has had nothing to do for a while keeps this many slots. */
export const IDLE_SLOTS = 2

/**
 * What a host keeps, by its role: one Execution at a time leaves little behind. A slot costs about 1 MB; an Execution
 * that stays in its slot between turns is run twice as fast as one that has to be swapped in.
 */
export const RUNNER_LIMITS = {
  shared: {
    slots: 40,
    templateBytes: 64 * MIB,
    programBytes: 64 * MIB,
    rawBytes: 64 * MIB,
    compressedBytes: 256 * MIB,
  },
  alone: {
    slots: 2,
    templateBytes: 16 * MIB,
    programBytes: 64 * MIB,
    rawBytes: 32 * MIB,
    compressedBytes: 0,
  },
} as const
