/** The key of an effect's object in Restate. */
export const effectKey = (executionId: string, command: number): string => `${executionId}.${command}`
