/** The value of an option on the command line. */
export const wholeNumber = (name: string, text: string, least = 1): number => {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < least) {
    throw new Error(`--${name} must be a whole number from ${least} on, not ${text}`)
  }
  return value
}
