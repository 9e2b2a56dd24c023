const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

/** `a string or null`. */
export const typeWords = (types: readonly string[]): string => types.map((type) => ARTICLES[type] ?? type).join(' or ')
