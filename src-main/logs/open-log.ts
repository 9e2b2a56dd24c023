// The app's log: JSON lines in the platform's folder for logs, without secrets.

import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { LOG_LINES } from '#runtime/shared/log-lines.ts'
import { createLogTail, type LogTail } from './log-tail.ts'
import { redact } from './redact.ts'
import { openRotatingFile } from './rotating-file.ts'

export type AppLog = { readonly log: Logger; readonly tail: LogTail; close(): void }

const MAX_BYTES = 5 * 1024 * 1024
const MAX_FILES = 5
const TAIL_LINES = 200

export const openLog = (folder: string): AppLog => {
  const file = openRotatingFile(join(folder, 'wes.log'), { maxBytes: MAX_BYTES, maxFiles: MAX_FILES })
  const tail = createLogTail(TAIL_LINES)
  const log = pino(
    { ...LOG_LINES, level: 'info' },
    {
      write: (line) => {
        const cleaned = redact(line)
        file.write(cleaned)
        tail.add(cleaned)
      },
    },
  )
  return { log, tail, close: file.close }
}
