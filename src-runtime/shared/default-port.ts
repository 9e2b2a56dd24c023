/** Of the local runtime. Clients look for it there, unless they are told another address: `LOCAL_BASE_URL` of the client. */
export const DEFAULT_PORT = 3477
