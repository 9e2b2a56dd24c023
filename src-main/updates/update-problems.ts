// Why a check, a download or an install failed, as a sentence for people. The log has the error itself.

import { nodeError, OF_PROXY, PROXY_PASSWORD } from '../connections/chromium-errors.ts'

export type UpdatePhase = 'check' | 'download' | 'install'

export const TOO_SLOW = 'ERR_UPDATE_TOO_SLOW'
export const NOTHING_ARRIVED = 'ERR_UPDATE_NOTHING_ARRIVED'
export const NOT_CLOSED = 'ERR_UPDATE_NOT_CLOSED'

type Row = readonly [pattern: RegExp, sentence: string, phase?: UpdatePhase]

/** Matched with the error's code and message; the first one counts. electron-updater puts network errors into others. */
const SENTENCES: readonly Row[] = [
  [/ERR_UPDATE_TOO_SLOW/, 'The update server did not answer within a minute.'],
  [/ERR_UPDATE_NOTHING_ARRIVED/, 'The download stopped: nothing arrived for a minute.'],
  [/ERR_UPDATE_NOT_CLOSED/, 'The app could not be closed. Quit it, and install the update when it is open again.'],
  [/ERR_BLOCKED_BY_CLIENT/, 'The update server named an address without encryption, so nothing was loaded from it.'],
  [/ENOSPC|ERR_DISK_FULL|FILE_NO_SPACE/, 'The disk is full. Make room for the update, and try again.'],
  [/EACCES|EPERM|EROFS/, 'The update cannot be written: you may not write to its folder.'],
  [
    /ERR_CHECKSUM_MISMATCH|checksum mismatch/,
    'The downloaded file is not the one that was released: its checksum differs. It was deleted.',
  ],
  [
    /ERR_UPDATER_INVALID_SIGNATURE|code signature|not signed by/i,
    'The update is not signed by the publisher of this app, so it is not installed.',
  ],
  [/ERR_UPDATER_ZIP_FILE_NOT_FOUND|no file for this system/, 'The release has no file for this system.'],
  [/ENOTFOUND|ENETUNREACH|EHOSTUNREACH/, 'The update server cannot be found. Are you connected to the internet?'],
  [
    new RegExp(`net::ERR_\\w*(?:${OF_PROXY.source})`),
    `The proxy of the system’s settings does not connect. ${PROXY_PASSWORD}`,
  ],
  [/net::ERR_(?:CERT|SSL)_/, 'The connection to the update server is not safe: its certificate is not valid.'],
  [
    /ECONNRESET|ERR_(?:CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|FAILED)|aborted/i,
    'The download was interrupted.',
    'download',
  ],
  [/status 404|HTTP_ERROR_404/, 'The release lacks the file that it names.', 'download'],
  [/ECONN|ETIMEDOUT|net::ERR_|timed out|aborted/i, 'The update server does not answer.'],
  [/HTTP_ERROR_(?:403|429)|\b(?:403|429) /, 'The update server refuses requests for now. Try again in an hour.'],
  [/HTTP_ERROR_5|\b5\d\d (?:[A-Z]|$)|status 5\d\d/, 'The update server has an internal error.'],
  [
    /CHANNEL_FILE_NOT_FOUND|LATEST_VERSION_NOT_FOUND|NO_PUBLISHED_VERSIONS|No published versions|HTTP_ERROR_404/,
    'No release was found for this system and channel.',
  ],
  [/ERR_UPDATER_|ERR_XML|TypeError|YAMLException|cannot be parsed/, 'The answer of the update server cannot be read.'],
]

const LONGEST = 200

export const problemOf = (error: unknown, during: UpdatePhase): string => {
  const said = error instanceof Error ? error : new Error(String(error))
  const { code = '' } = nodeError(said) as { readonly code?: string }
  const whole = `${said.name} ${(said as { readonly code?: string }).code ?? ''} ${code} ${said.message}`
  const row = SENTENCES.find(([pattern, , phase]) => (phase === undefined || phase === during) && pattern.test(whole))
  if (row !== undefined) return row[1]
  const [firstLine = ''] = said.message.split('\n')
  return `${WHAT[during]} failed: ${firstLine.slice(0, LONGEST)}`
}

const WHAT: Readonly<Record<UpdatePhase, string>> = {
  check: 'The check for updates',
  download: 'The download',
  install: 'The installation',
}
