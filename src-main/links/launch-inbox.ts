// Keeps what the system sends to the app until the app is ready to handle it.

export type LaunchMessage =
  | { readonly kind: 'deep_link'; readonly link: string }
  | { readonly kind: 'file'; readonly path: string }
  /** Another launch; unchecked. */
  | { readonly kind: 'launch'; readonly handover: unknown }

export type LaunchInbox = {
  put(message: LaunchMessage): void
  listen(listener: (message: LaunchMessage) => void): void
}

export const createLaunchInbox = (): LaunchInbox => {
  const kept: LaunchMessage[] = []
  let listener: ((message: LaunchMessage) => void) | undefined
  return {
    put: (message) => {
      if (listener === undefined) kept.push(message)
      else listener(message)
    },
    listen: (given) => {
      listener = given
      for (const message of kept.splice(0)) given(message)
    },
  }
}
