// Shown when the address names a page, connection or project that does not exist.

import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import type { ReactNode } from 'react'
import { OWN, useConnection } from '../api/connection.ts'
import { paths } from '../paths.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'

const Nowhere = ({
  title,
  children,
  way,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly way: ReactNode
}) => (
  <>
    <PageHeader title={title} />
    <EmptyState icon={<Compass size={28} aria-hidden="true" />} title={title} actions={way}>
      {children}
    </EmptyState>
  </>
)

const LINK = 'text-accent underline'
const WHERE = OWN.kind === 'local' ? 'the local runtime' : 'the service that serves it'

export const NotFound = () => (
  <Nowhere
    title="Page not found"
    way={
      <Link {...paths.executions()} className={LINK}>
        Go to Executions
      </Link>
    }
  >
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
      The address names project <span className="font-mono text-xs break-all">{id}</span>, which{' '}
      {isLocal
        ? 'this runtime does not have. It may belong to another data directory.'
        : 'this workspace does not have. It may belong to another one.'}
    </Nowhere>
  )
}

export const NoSuchConnection = ({ id }: { readonly id: string }) => (
  <Nowhere
    title="Connection not found"
    way={
      <Link {...paths.executions()} params={{ connection: OWN.id, project: 'default' }} className={LINK}>
        Go to {WHERE}
      </Link>
    }
  >
    The address names connection <span className="font-mono text-xs break-all">{id}</span>, which this dashboard does
    not have. Its only connection is {WHERE}.
  </Nowhere>
)
