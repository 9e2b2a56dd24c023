// What a Program may use, and how long the others wait for it. Limits that the guest watches itself are in
// guest/limits.js.

const KIB = 1024
const MIB = 1024 * KIB

export const PAGE_BYTES = 4096

export const GUEST_LIMITS = { memoryBytes: 64 * MIB, stackBytes: 160 * KIB } as const

/** A slot whose memory grew beyond this is replaced: memory of WebAssembly never shrinks. */
export const LARGEST_KEPT_SLOT_BYTES = 16 * MIB

/** UTF-8 bytes of a result's JSON, and how deep it may nest. */
export const LARGEST_RESULT_BYTES = MIB
export const DEEPEST_RESULT = 256

export const SLOTS = 16
export const TEMPLATE_CACHE_BYTES = 64 * MIB
export const RAW_IMAGE_BYTES = 64 * MIB
export const COMPRESSED_IMAGE_BYTES = 256 * MIB
export const PROGRAM_CACHE_BYTES = 64 * MIB
