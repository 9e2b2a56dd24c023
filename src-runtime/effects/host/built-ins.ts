// What the host needs of the language and of Node, as it was before any effect ran. An effect or a package may replace it, as tests
// do that install fake timers, while others run in the same process.

export const { AbortController, Buffer, clearTimeout, DOMException, setImmediate, setTimeout } = globalThis
export const { parse, stringify } = JSON
export const { hasOwn } = Object
export const { byteLength } = Buffer
