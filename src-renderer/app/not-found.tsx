// Shown when the address names a page, connection or project that does not exist.

import { Link } from '@tanstack/react-router'
import { Cloud } from 'lucide-react'
import { OWN, useConnection } from '../api/connection.ts'
import { type SavedConnections, useConnectionsReadAgain } from '../api/connections.ts'
import { NoSession } from '../features/settings/connections/no-session.tsx'
import { LINK, Nowhere, ToExecutions } from '../parts/nowhere.tsx'
import { paths } from '../paths.ts'
import { openDialog } from '../stores/dialogs.ts'
import { rememberedProject } from '../stores/preferences.ts'
import { Button } from '../ui/button.tsx'
import { visible } from '../ui/visible.tsx'

const WHERE = OWN.kind === 'local' ? 'the local runtime' : 'the service that serves it'

export const NotFound = () => (
  <Nowhere title="Page not found" way={<ToExecutions />}>
    The dashboard has no page at this address.
  </Nowhere>
)

export const NoSuchProject = ({ id }: { readonly id: string }) => {
  const isLocal = useConnection().kind === 'local'
  return (
    <Nowhere
      title="Project not found"
      way={
        <Link {...paths.executions()} params={{ project: 'default' }} className={LINK}>
          Go to the default project
        </Link>
      }
    >
      The address names project <span className="font-mono text-xs break-all">{visible(id)}</span>, which{' '}
      {isLocal
        ? 'this runtime does not have. It may belong to another data directory.'
        : 'this workspace does not have. It may belong to another one.'}
    </Nowhere>
  )
}

/** A link of somebody else, or to a connection that was removed. */
export const NoSuchConnection = ({ id, list }: { readonly id: string; readonly list: SavedConnections }) => {
  useConnectionsReadAgain()
  return (
    <Nowhere
      title="Connection not found"
      way={
        <>
          {list.kind === 'known' && (
            <Button kind="primary" icon={<Cloud size={14} />} onClick={() => openDialog({ kind: 'connect', name: id })}>
              Connect to hosted
            </Button>
          )}
          <Link
            {...paths.executions()}
            params={{ connection: OWN.id, project: rememberedProject(OWN.id) }}
            className={`${LINK} self-center`}
          >
            Go to {WHERE}
          </Link>
        </>
      }
    >
      <p>
        The address names connection <span className="font-mono text-xs break-all">{visible(id)}</span>
        {list.kind === 'no-session' ? '.' : ', which you do not have.'}{' '}
        {list.kind === 'known' && 'If you know its address and have a token, add it under this name.'}
        {list.kind === 'unsupported' && `The only connection here is ${WHERE}.`}
      </p>
      {list.kind === 'no-session' && (
        <div className="mt-3">
          <NoSession kind="no-session" />
        </div>
      )}
    </Nowhere>
  )
}
