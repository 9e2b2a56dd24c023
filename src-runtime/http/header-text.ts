const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A header's value as characters. Clients send UTF-8, and Node reads one character for each byte; a value that is not UTF-8
 * stays as Node reads it.
 */
export const headerText = (value: string): string => {
  if (!/[\x80-\xff]/.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}
