// Writes a table as CSV (RFC 4180). Pure.

/** A text that begins like this is a formula to spreadsheets, which would run it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u

export const csvOf = (header: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string =>
  [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

const cellOf = (value: string | number | undefined): string => {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
