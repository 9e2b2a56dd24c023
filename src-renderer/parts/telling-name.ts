/** The name of an error, if it says more than that something, or an effect, has failed: in a list, the message needs the room. */
export const tellingName = (name: string | undefined): string | undefined =>
  name === 'Error' || name === 'EffectError' ? undefined : name
