import type { Token } from '#sdk/index.ts'
import type { Question } from '../../stores/confirmation.ts'

const isExpired = ({ expiresAt }: Token, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now

/** What revoking a token does, before it is done. `own`: the id of the token that the connection uses. */
export const revokeQuestion = (
  token: Token,
  { tokens, own, now }: { readonly tokens: readonly Token[]; readonly own: string | undefined; readonly now: number },
): Question => {
  const isLastAdmin =
    token.role === 'admin' && tokens.every((one) => one.id === token.id || one.role !== 'admin' || isExpired(one, now))
  return {
    title: 'Revoke token',
    text: [
      `The token “${token.name}” is refused everywhere within 5 seconds, and never accepted again.`,
      ...(token.id === own
        ? ['It is the token that you use now: this session ends, and you need another token to come back.']
        : []),
      ...(isLastAdmin
        ? ['No other token of this workspace has the role admin: only who runs the service can then create tokens.']
        : []),
    ].join(' '),
    action: 'Revoke token',
    danger: true,
  }
}
