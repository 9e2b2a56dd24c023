/** The key of an effect's object in Restate. */
export const effectKey = (executionId: string, command: number): string => `${executionId}.${command}`

/** Of an Execution's object, or of an effect's. */
export const executionOfKey = (key: string): string => key.split('.', 1)[0]!
