// What the service accepts as names and values of the environment. Pure.

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** They would change how the process of an effect runs. */
const RESERVED = /^(NODE_|LD_|DYLD_|WES_)|^PATH$/

export const MOST_VARIABLES = 200
const MOST_BYTES = 32 * 1024

/** Why the name cannot be set; undefined when it can. */
export const nameFault = (name: string): string | undefined => {
  if (name === '') return 'Enter a name'
  if (RESERVED.test(name)) return 'PATH and names that begin with NODE_, LD_, DYLD_ or WES_ cannot be set'
  if (/^\d/.test(name)) return 'A name cannot begin with a digit'
  if (name.length > 128) return 'A name has at most 128 characters'
  return NAME.test(name) ? undefined : 'A name has only letters from A to Z, digits and _'
}

export const bytesOf = (value: string): number => new TextEncoder().encode(value).length

/** Why the value cannot be set. It never repeats the value. */
export const valueFault = (value: string): string | undefined => {
  if (value.includes('\0') || !value.isWellFormed()) return 'The value must be text without the character U+0000'
  return bytesOf(value) > MOST_BYTES ? 'The value has more than 32 KiB' : undefined
}

/** What one wants to know of a value that one does not see. */
export const describeValue = (value: string): string => {
  if (value === '') return 'Empty'
  const lines = value.split('\n').length
  const size = bytesOf(value)
  return [
    `${size} ${size === 1 ? 'byte' : 'bytes'}`,
    ...(lines > 1 ? [`${lines} lines`] : []),
    ...(value.endsWith('\n') ? ['ends with a line break'] : /\s$/.test(value) ? ['ends with a space'] : []),
    ...(/^\s/.test(value) ? ['begins with a space'] : []),
  ].join(', ')
}
