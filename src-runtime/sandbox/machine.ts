// One instance of the engine, used through its C interface. Values are boxed: every pointer here is the address of a
// box that must be freed. Guest code cannot call out; this file answers the engine's own calls to its host.

import { INTERRUPT_COUNTER_AT, type EngineModules } from './engine-files.ts'
import { WASM_PAGE_BYTES } from './limits.ts'
import { linkExtension } from './link-extension.ts'
import { tellRefusals } from './tell-refusals.ts'
import { WrittenPages } from './written-notes.ts'

export type Pointer = number

type EngineExports = {
  readonly memory: WebAssembly.Memory
  readonly __stack_pointer: WebAssembly.Global
  readonly __indirect_function_table: WebAssembly.Table
  _initialize(): void
  wasm_malloc(bytes: number): Pointer
  wasm_free(pointer: Pointer): void
  js_malloc(context: Pointer, bytes: number): Pointer
  js_free(context: Pointer, pointer: Pointer): void
  qjs_get_context_ptr(): Pointer
  qjs_init(): number
  qjs_set_interrupt_handler(on: number): void
  qjs_set_promise_rejection_handler(on: number): void
  qjs_set_memory_limit(bytes: number): void
  qjs_set_max_stack_size(bytes: number): void
  qjs_run_gc(): void
  qjs_set_gc_threshold(bytes: number): void
  qjs_eval(code: Pointer, bytes: number, file: Pointer, flags: number): Pointer
  qjs_new_string(text: Pointer, bytes: number): Pointer
  qjs_new_number(value: number): Pointer
  qjs_get_undefined(): Pointer
  qjs_get_string_len(value: Pointer, lengthOut: Pointer): Pointer
  qjs_free_cstring(text: Pointer): void
  qjs_is_exception(value: Pointer): number
  qjs_is_object(value: Pointer): number
  qjs_is_string(value: Pointer): number
  qjs_get_exception(): Pointer
  qjs_get_prop_string(object: Pointer, key: Pointer): Pointer
  qjs_get_prop_uint32(object: Pointer, index: number): Pointer
  qjs_get_array_buffer(value: Pointer, lengthOut: Pointer): Pointer
  qjs_get_value_ptr(value: Pointer): Pointer
  qjs_call(callee: Pointer, self: Pointer, count: number, args: Pointer): Pointer
  qjs_free_value(value: Pointer): void
  qjs_is_job_pending(): number
  qjs_execute_pending_job(): number
}

export type MachineLimits = { readonly memoryBytes: number; readonly stackBytes: number }

export type Thrown = { readonly name: string; readonly message: string; readonly stack: string }

/** A rejected promise without a handler so far; both pointers are ours to free. */
type Rejection = { readonly promise: Pointer; readonly reason: Pointer }

const NANOSECONDS = 1_000_000n
const WASI_OK = 0
const WASI_BAD_FILE = 8

/** Guest code can swallow the engine's own interrupt, for example in a promise's executor; it cannot swallow this. */
class GuestStopped extends Error {}

/** `interrupt`: the engine throws its own error, which tells where the guest was. `stop`: a GuestStopped. */
export type PollAnswer = 'continue' | 'interrupt' | 'stop'

type PollOrigin = 'code' | 'jobs'

/** The engine imports its memory, of at least this size. */
const INITIAL_WASM_PAGES = 18

export class Machine {
  /** Where the extensions' data begins, in link order. */
  readonly extensionsAt: readonly Pointer[]
  /** What the engine, this class and others have written to the memory. */
  readonly written: WrittenPages
  readonly #engine: EngineExports
  readonly #memory: WebAssembly.Memory
  /**
   * Called about every 10,000 loop iterations or calls of guest code, and between jobs, where an `interrupt` stops. After an answer
   * other than `continue`, the memory must not be used for other Executions.
   */
  onPoll: (from: PollOrigin) => PollAnswer = () => 'continue'
  /** Called each time that the engine has refused memory, before it throws. */
  onRefusal: () => void = () => {}
  /** Keyed by the address of the promise object; oldest first. */
  readonly #rejections = new Map<Pointer, Rejection>()
  #bytes: Buffer
  #words: Int32Array
  #view: DataView
  #clockNs = 0n

  constructor(modules: EngineModules, limits: MachineLimits) {
    const { initialised } = modules
    const initial = initialised === undefined ? INITIAL_WASM_PAGES : initialised.memoryBytes / WASM_PAGE_BYTES
    this.#memory = new WebAssembly.Memory({ initial })
    this.#bytes = Buffer.from(this.#memory.buffer)
    this.#words = new Int32Array(this.#memory.buffer)
    this.#view = new DataView(this.#memory.buffer)
    this.written = new WrittenPages(modules.notes, () => this.#memory.buffer.byteLength)
    this.written.follow()
    const instance = new WebAssembly.Instance(modules.quickjs, this.#imports(modules.notes.memory))
    this.#engine = instance.exports as unknown as EngineExports
    tellRefusals(this.#engine.__indirect_function_table, () => this.onRefusal())
    if (initialised === undefined) {
      this.engine._initialize()
      if (this.engine.qjs_init() !== 0) throw new Error('The engine did not start')
    }
    this.extensionsAt = modules.extensions.map((extension, index) =>
      linkExtension(extension, instance.exports, modules.notes.memory, initialised?.extensionsAt[index]),
    )
    if (initialised !== undefined) return
    this.engine.qjs_set_memory_limit(limits.memoryBytes)
    this.engine.qjs_set_max_stack_size(limits.stackBytes)
    this.engine.qjs_set_interrupt_handler(1)
    this.engine.qjs_set_promise_rejection_handler(1)
  }

  /** Valid until another machine is used. */
  get engine(): EngineExports {
    this.written.follow()
    return this.#engine
  }

  /** The whole memory as bytes and words. The views are new after the memory has grown. */
  get bytes(): Buffer {
    this.#refresh()
    return this.#bytes
  }

  get words(): Int32Array {
    this.#refresh()
    return this.#words
  }

  setByte(address: Pointer, value: number): void {
    this.bytes[address] = value
    this.written.add(address, 1)
  }

  /** An array of numbers, such as the pointers to a call's arguments. */
  setWords(address: Pointer, words: readonly number[]): void {
    this.#refresh()
    words.forEach((word, index) => this.#view.setUint32(address + index * 4, word, true))
    this.written.add(address, words.length * 4)
  }

  /** The engine takes the time for a positive number: a negative one would be a time in the year 2554. */
  setClock(ms: number): void {
    this.#clockNs = BigInt(Math.max(0, Math.trunc(ms))) * NANOSECONDS
  }

  newString(text: string): Pointer {
    const length = Buffer.byteLength(text)
    const buffer = this.#cString(text, length)
    const value = this.engine.qjs_new_string(buffer, length)
    this.engine.wasm_free(buffer)
    return value
  }

  /** The text of a string value. For other values, the guest's `toString` may run. */
  readString(value: Pointer, lengthOut: Pointer): string | undefined {
    const start = this.engine.qjs_get_string_len(value, lengthOut)
    if (start === 0) return undefined
    const memory = this.bytes
    const length = memory.readUInt32LE(lengthOut)
    const text = memory.toString('utf8', start, start + length)
    this.engine.qjs_free_cstring(start)
    return text
  }

  /** The completion value of a classic script, or an exception: see `isException`. */
  evaluate(code: string, file: string): Pointer {
    const length = Buffer.byteLength(code)
    const source = this.#cString(code, length)
    const name = this.#cString(file)
    const value = this.engine.qjs_eval(source, length, name, 0)
    this.engine.wasm_free(source)
    this.engine.wasm_free(name)
    return value
  }

  isException(value: Pointer): boolean {
    return this.engine.qjs_is_exception(value) !== 0
  }

  property(object: Pointer, key: string): Pointer {
    const name = this.#cString(key)
    const value = this.engine.qjs_get_prop_string(object, name)
    this.engine.wasm_free(name)
    return value
  }

  /** Describes and clears the pending exception. Reading its members may run guest getters. */
  takeException(): Thrown {
    const exception = this.engine.qjs_get_exception()
    const lengthOut = this.#allocate(4)
    const text = (key: string): string => {
      const value = this.property(exception, key)
      const found = this.engine.qjs_is_string(value) !== 0 ? this.readString(value, lengthOut) : undefined
      this.engine.qjs_free_value(value)
      return found ?? ''
    }
    const thrown =
      this.engine.qjs_is_object(exception) === 0
        ? { name: 'Error', message: this.readString(exception, lengthOut) ?? 'a symbol', stack: '' }
        : { name: text('name'), message: text('message'), stack: text('stack') }
    this.engine.wasm_free(lengthOut)
    this.engine.qjs_free_value(exception)
    return thrown
  }

  /** Rejections without a handler, oldest first; the caller frees `reason`. */
  takeRejections(): readonly Pointer[] {
    if (this.#rejections.size === 0) return NONE
    const rejections = [...this.#rejections.values()]
    this.#rejections.clear()
    for (const { promise } of rejections) this.engine.qjs_free_value(promise)
    return rejections.map(({ reason }) => reason)
  }

  /** Drops the rejections without freeing them, because the memory is about to be replaced. */
  dropRejections(): void {
    this.#rejections.clear()
  }

  #refresh(): void {
    const { buffer } = this.#memory
    if (this.#bytes.buffer === buffer) return
    this.#bytes = Buffer.from(buffer)
    this.#words = new Int32Array(buffer)
    this.#view = new DataView(buffer)
  }

  #allocate(bytes: number): Pointer {
    const pointer = this.engine.wasm_malloc(bytes)
    if (pointer === 0) throw new Error('The engine is out of memory')
    return pointer
  }

  #cString(text: string, length = Buffer.byteLength(text)): Pointer {
    const pointer = this.#allocate(length + 1)
    this.bytes.write(text, pointer, length, 'utf8')
    this.bytes[pointer + length] = 0
    this.written.add(pointer, length + 1)
    return pointer
  }

  /** Between jobs: throws if the guest is to stop. */
  poll(): void {
    if (this.onPoll('jobs') !== 'continue') throw new GuestStopped()
  }

  /** Has the engine poll after so many calls and rounds of loops. */
  pollAfter(count: number): void {
    this.setWords(this.engine.qjs_get_context_ptr() + INTERRUPT_COUNTER_AT, [count])
  }

  #noteRejection(promise: Pointer, reason: Pointer, isHandled: boolean): void {
    const object = this.engine.qjs_get_value_ptr(promise)
    if (!isHandled) {
      this.#rejections.set(object, { promise, reason })
      return
    }
    const found = this.#rejections.get(object)
    this.#rejections.delete(object)
    for (const pointer of [promise, reason, found?.promise, found?.reason]) {
      if (pointer !== undefined) this.engine.qjs_free_value(pointer)
    }
  }

  #imports(notes: WebAssembly.Memory): WebAssembly.Imports {
    return {
      env: {
        memory: this.#memory,
        notes,
        host_get_timezone_offset: () => 0,
        host_interrupt: () => {
          const answer = this.onPoll('code')
          if (answer === 'stop') throw new GuestStopped()
          return answer === 'interrupt' ? 1 : 0
        },
        host_promise_rejection: (promise: Pointer, reason: Pointer, isHandled: number) =>
          this.#noteRejection(promise, reason, isHandled !== 0),
        host_module_normalize: () => 0,
        host_module_load: () => 0,
        host_call: () => 0,
      },
      wasi_snapshot_preview1: {
        clock_time_get: (_clock: number, _precision: bigint, out: Pointer) => {
          this.#refresh()
          this.#view.setBigUint64(out, this.#clockNs, true)
          this.written.add(out, 8)
          return WASI_OK
        },
        random_get: (out: Pointer, bytes: number) => {
          this.bytes.fill(7, out, out + bytes)
          this.written.add(out, bytes)
          return WASI_OK
        },
        fd_close: () => WASI_BAD_FILE,
        fd_fdstat_get: () => WASI_BAD_FILE,
        fd_seek: () => WASI_BAD_FILE,
        fd_write: () => WASI_BAD_FILE,
      },
    }
  }
}

const NONE: readonly Pointer[] = []
