// What a secret is sealed for: it does not open as anything else.

/** Of a signing secret of a Trigger. */
export const secretContext = (triggerId: string): string => `signing secret of ${triggerId}`

/** Of the text of a token that nobody has used yet. */
export const tokenContext = (tokenId: string): string => `text of ${tokenId}`

/** Of a value in the environment of effects. */
export const valueContext = (projectId: string, name: string): string => `${name} of ${projectId}`
