// Tells when a connection may show another workspace, or allow other things, than before: its token was replaced, it is
// another service's, or a session has ended and another one begins.

let tell: (connection: string) => void = () => undefined

/** Called with the id of the connection. Nothing that was typed or chosen with one access is shown with another. */
export const onOtherAccess = (listener: (connection: string) => void): void => {
  tell = listener
}

export const noteOtherAccess = (connection: string): void => tell(connection)
