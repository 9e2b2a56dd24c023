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
      `The token “${token.name}” stops working within 5 seconds. This cannot be undone.`,
      ...(token.id === own
        ? ['It is the token that you are using now: this session ends, and you need another token to continue.']
        : []),
      ...(isLastAdmin
        ? [
            'No other token of this workspace has the role admin: only the operator of the service will be able to create tokens.',
          ]
        : []),
    ].join(' '),
    action: 'Revoke token',
    danger: true,
  }
}
