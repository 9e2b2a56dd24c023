// The tokens of the workspace: listed, created and revoked by admins.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Token } from '#sdk/index.ts'
import { tokensQuery } from '../../api/account-queries.ts'
import { roleCannot } from '../../api/capabilities.ts'
import { failureOf } from '../../api/failures.ts'
import { useRole } from '../../api/role.ts'
import { useScope } from '../../api/scope.ts'
import { serviceNow } from '../../api/service-clock.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { whoAmIQuery } from '../../api/who-am-i.ts'
import { useNow } from '../../parts/clock.ts'
import { DAY_MS } from '../../parts/format.ts'
import { notifyFailure } from '../../parts/notify-failure.ts'
import { QueryContent } from '../../parts/query-content.tsx'
import { Section } from '../../parts/section.tsx'
import { Ago } from '../../parts/time.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { useFocusAfterRemoval } from '../../parts/use-focus-after-removal.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ScrollX } from '../../ui/scroll-x.tsx'
import { notify } from '../../ui/toasts.tsx'
import { CreateTokenDialog } from './create-token-dialog.tsx'
import { revokeQuestion } from './revoke-question.ts'
import { visible } from '../../ui/visible.tsx'

export const Tokens = () => {
  const role = useRole()
  const cannot = roleCannot('admin', role)
  const [isCreating, setCreating] = useState(false)
  return (
    <Section title="Tokens">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <p className="min-w-60 flex-1 text-soft">
          Clients and people use tokens to access this workspace. A token is shown only once, when it is created.
        </p>
        <Button icon={<Plus size={14} />} disabledReason={cannot} onClick={() => setCreating(true)}>
          Create token
        </Button>
      </div>
      {role === 'admin' && <TokenList />}
      {cannot !== undefined && <p>Only admins can see tokens. {cannot}.</p>}
      {isCreating && <CreateTokenDialog onClose={() => setCreating(false)} />}
    </Section>
  )
}

const TokenList = () => {
  const query = useQueryKeepingError(tokensQuery(useScope()))
  return (
    <QueryContent what="the tokens" query={query}>
      {(tokens) => <TokenTable tokens={tokens} />}
    </QueryContent>
  )
}

/** Left out where the page is narrow. */
const WIDE_ONLY = ['Created', 'Last used']

const TokenTable = ({ tokens }: { readonly tokens: readonly Token[] }) => {
  const { connection } = useScope()
  const { data: who } = useQuery(whoAmIQuery(connection))
  const own = who?.token.id
  const { revoke, revoking } = useRevoke(tokens, own)
  const body = useRef<HTMLTableSectionElement>(null)
  return (
    <ScrollX label="All tokens">
      <table aria-label="Tokens" className="w-full border-collapse">
        <thead>
          <tr className="text-xs text-faint">
            {['Name', 'Role', 'Created', 'Expires', 'Last used'].map((header) => (
              <th
                key={header}
                scope="col"
                className={classNames(
                  'border-b border-line py-1 pr-4 text-left font-medium whitespace-nowrap',
                  WIDE_ONLY.includes(header) && 'max-md:hidden',
                )}
              >
                {header}
              </th>
            ))}
            <th scope="col" className="border-b border-line">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body} {...useFocusAfterRemoval(body)}>
          {tokens.map((token) => (
            <tr key={token.id} className="border-b border-line">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal max-sm:pr-2">
                <span className="inline-flex flex-wrap items-center gap-x-2">
                  <span className="font-medium wrap-anywhere">{visible(token.name)}</span>
                  {token.id === own && <Badge tone="completed">current</Badge>}
                </span>
                <span className="block font-mono text-xs break-all text-faint">{token.id}</span>
              </th>
              <td className="pr-4 max-sm:pr-2">{token.role}</td>
              <td className="pr-4 max-md:hidden">
                <Ago at={token.createdAt} />
              </td>
              <td className="pr-4 max-sm:pr-2">
                <Expires at={token.expiresAt} />
              </td>
              <td className="pr-4 max-md:hidden">
                {token.lastUsedAt === undefined ? (
                  <span className="text-faint">never</span>
                ) : (
                  <Ago at={token.lastUsedAt} />
                )}
              </td>
              <td className="py-1.5 text-right">
                <Button
                  kind="danger"
                  aria-label={`Revoke ${token.name}`}
                  busy={revoking === token.id}
                  onClick={() => revoke(token)}
                >
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  )
}

/** Time to replace a token before it expires. */
const SOON_MS = 7 * DAY_MS

const Expires = ({ at }: { readonly at: string | undefined }) => {
  const now = useNow()
  if (at === undefined) return <span className="text-faint">never</span>
  const left = Date.parse(at) - now
  return left <= 0 ? (
    <span className="text-failed">
      expired <Ago at={at} />
    </span>
  ) : (
    <span className={left < SOON_MS ? 'text-waiting' : undefined}>
      <Ago at={at} />
    </span>
  )
}

const useRevoke = (tokens: readonly Token[], own: string | undefined) => {
  const scope = useScope()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const act = useMutation({
    mutationFn: async (token: Token) => {
      if (!(await confirm(revokeQuestion(token, { tokens, own, now: serviceNow(scope.connection) })))) return
      await scope.anyProject.revokeToken(token.id)
      notify(`Token ${token.name} revoked`, { detail: 'It stops working within 5 seconds.', place: scope.connection })
      await queries.invalidateQueries({ queryKey: tokensQuery(scope).queryKey })
    },
    onError: (error, { name }) => {
      const failure = failureOf(error)
      if (failure.code === 'token_not_found') {
        notify(`Token ${name} was already revoked`, { place: scope.connection })
      } else {
        notifyFailure(
          failure,
          `Token ${name} was not revoked`,
          `Check whether the token ${name} is still listed.`,
          scope.connection,
        )
      }
      void queries.invalidateQueries({ queryKey: tokensQuery(scope).queryKey })
    },
  })
  return {
    revoke: (token: Token) => act.mutate(token),
    revoking: act.isPending ? act.variables.id : undefined,
  }
}
