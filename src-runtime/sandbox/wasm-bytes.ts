// Reads and writes the pieces that a WebAssembly module's binary form consists of.

export class WasmReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  get hasMore(): boolean {
    return this.at < this.bytes.length
  }

  byte(): number {
    const value = this.bytes[this.at++]
    if (value === undefined) throw new Error('A WebAssembly module ends too early')
    return value
  }

  /** An unsigned number of at most 32 bits. */
  u32(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }

  /** Any number, however long. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  skip(bytes: number): void {
    this.at += bytes
  }

  take(bytes: number): Uint8Array {
    this.at += bytes
    return this.bytes.subarray(this.at - bytes, this.at)
  }

  rest(): Uint8Array {
    return this.take(this.bytes.length - this.at)
  }
}

export class WasmWriter {
  #bytes = new Uint8Array(64)
  #length = 0

  byte(value: number): this {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = value
    return this
  }

  u32(value: number): this {
    let rest = value >>> 0
    for (; rest >= 0x80; rest >>>= 7) this.byte((rest & 0x7f) | 0x80)
    return this.byte(rest)
  }

  /** A signed number of 32 bits. */
  s32(value: number): this {
    let rest = value | 0
    for (; rest < -0x40 || rest >= 0x40; rest >>= 7) this.byte((rest & 0x7f) | 0x80)
    return this.byte(rest & 0x7f)
  }

  add(bytes: Uint8Array): this {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  sized(bytes: Uint8Array): this {
    return this.u32(bytes.length).add(bytes)
  }

  text(text: string): this {
    return this.sized(Buffer.from(text))
  }

  /** Nothing must be added afterwards. */
  done(): Buffer<ArrayBuffer> {
    return Buffer.from(this.#bytes.buffer, 0, this.#length)
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(this.#length + bytes, 2 * this.#bytes.length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
