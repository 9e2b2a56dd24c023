// Records in a file which attempts of effects are running. After the process died, the file says which ones it
// interrupted. Nothing is flushed: written data survives the death of the process, and only that counts here. A note that
// cannot be written or read only means that a death is not counted, so nothing fails because of it.

import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

export type NotedAttempt = { readonly executionId: string; readonly command: number; readonly attempt: number }

export type UnderWay = {
  /** Attempts that were running when the last process died. */
  died(): readonly NotedAttempt[]
  begin(attempt: NotedAttempt): void
  end(attempt: NotedAttempt): void
  /** Empties the file. */
  clear(): void
  /** Empties the file, because a stop is no death, and ignores later calls. */
  close(): void
}

/** A longer file is written anew, with what is running, when that makes it much shorter. */
const LENGTH_LIMIT = 64 * 1_024
const MUCH_SHORTER = 4
const LINE = /^([+-])(exe_[0-9a-z]+) (\d{1,9}) (\d{1,9})$/

/** Opens the file when it is first read or written, so that a runtime that cannot start leaves it as it is. */
export const openUnderWay = (file: string): UnderWay => {
  let descriptor: number | undefined
  let closed = false
  let length = 0
  /** What is not written yet. */
  let unwritten = ''
  /** The lines of what is running. */
  const running = new Set<string>()
  let runningLength = 0

  const opened = (): number => {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
    return (descriptor ??= openSync(file, flags, 0o600))
  }
  const clear = (): void => {
    try {
      if (!closed) ftruncateSync(opened())
      length = 0
    } catch {
      // The disk has a fault.
    }
  }
  const write = (text: string): void => {
    try {
      if (!closed) length += writeSync(opened(), text)
    } catch {
      // The disk is full.
    }
  }
  const writeNotes = (): void => {
    write(unwritten)
    unwritten = ''
    if (length < LENGTH_LIMIT || length < MUCH_SHORTER * runningLength) return
    clear()
    write([...running].map((line) => `+${line}`).join(''))
  }
  /** Notes of one moment are written at once, before the event loop goes on, and so before a process gets the attempts. */
  const note = (text: string): void => {
    if (unwritten === '') process.nextTick(writeNotes)
    unwritten += text
  }
  return {
    died: () => {
      try {
        return readNotes(readFileSync(opened(), 'utf8'))
      } catch {
        return []
      }
    },
    begin: (attempt) => {
      const line = lineOf(attempt)
      running.add(line)
      runningLength += line.length
      note(`+${line}`)
    },
    end: (attempt) => {
      const line = lineOf(attempt)
      if (running.delete(line)) runningLength -= line.length
      note(`-${line}`)
    },
    clear,
    close: () => {
      if (descriptor !== undefined) {
        clear()
        closeSync(descriptor)
      }
      descriptor = undefined
      closed = true
    },
  }
}

const lineOf = ({ executionId, command, attempt }: NotedAttempt): string => `${executionId} ${command} ${attempt}\n`

/** Skips incomplete and invalid lines. */
const readNotes = (text: string): readonly NotedAttempt[] => {
  const found = new Map<string, NotedAttempt>()
  for (const line of text.split('\n')) {
    const [, sign, executionId = '', command, attempt] = LINE.exec(line) ?? []
    if (sign === undefined) continue
    const key = line.slice(1)
    if (sign === '+') found.set(key, { executionId, command: Number(command), attempt: Number(attempt) })
    else found.delete(key)
  }
  return [...found.values()]
}
