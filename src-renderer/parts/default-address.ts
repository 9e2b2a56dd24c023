// Where clients look for the local runtime, unless they are told another address.

export const DEFAULT_PORT = 3477
export const DEFAULT_URL = `http://localhost:${DEFAULT_PORT}`
