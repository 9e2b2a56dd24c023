// What a secret is sealed for: it does not open as anything else.

/** Of a signing secret of a Trigger. */
export const secretContext = (triggerId: string): string => `signing secret of ${triggerId}`

/** Of a value in the environment of effects. */
export const valueContext = (projectId: string, name: string): string => `${name} of ${projectId}`
