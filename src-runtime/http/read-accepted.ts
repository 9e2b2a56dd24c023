// What a caller takes, by `Accept` or `Accept-Encoding`.

/** In the order of the header, in lower case. With `q=0` it says what the caller does not take. */
export const readAccepted = (header: string): readonly { readonly type: string; readonly isTaken: boolean }[] =>
  header
    .toLowerCase()
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
      return { type, isTaken: !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) }
    })
