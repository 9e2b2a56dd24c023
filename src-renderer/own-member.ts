/** For names that users choose: `constructor` is in every object's prototype. */
export const ownMember = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
