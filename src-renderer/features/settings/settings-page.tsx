import { useQuery } from '@tanstack/react-query'
import { useConnection } from '../../api/connection.ts'
import { sourceQuery } from '../../api/program-queries.ts'
import { runtimeQuery } from '../../api/runtime-query.ts'
import { useScope } from '../../api/scope.ts'
import { desktop } from '../../desktop.ts'
import { HOME } from '../../home.ts'
import { QueryFault } from '../../parts/query-fault.tsx'
import { QueryLoading } from '../../parts/query-loading.tsx'
import { useHold } from '../../parts/use-hold.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { AboutSection } from './about-section.tsx'
import { Appearance } from './appearance.tsx'
import { ConnectionsSection } from './connections/connections-section.tsx'
import { DataSection } from './data-section.tsx'
import { DesktopSection } from './desktop-section.tsx'
import { ProjectSection } from './project-section.tsx'
import { Retention } from './retention.tsx'
import { RuntimeSection } from './runtime-section.tsx'
import { Section } from '../../parts/section.tsx'
import { TrustedFolders } from './trusted-folders.tsx'
import { UpdatesSection } from './updates-section.tsx'
import { aboutQuery, useIsDesktopLoading } from './use-desktop.ts'

/** The Settings screen. Settings of this page stay usable while the runtime is stopped. */
export const SettingsPage = () => {
  const scope = useScope()
  const query = runtimeQuery(scope)
  const { data: runtime, error, refetch } = useQuery(query)
  const { data: about } = useQuery(aboutQuery)
  const isLocal = useConnection().kind === 'local'
  const isDesktopLoading = useIsDesktopLoading()
  const { isPending: isSourceLoading } = useQuery({ ...sourceQuery(scope), enabled: isLocal })
  const isLoading = runtime === undefined && error === null
  // An address may lead to the last section, and its place is known once all above it is there.
  const isHeld = useHold(isDesktopLoading || isLoading || (isLocal && isSourceLoading))
  const folder = runtime?.dataDir ?? about?.dataDirectory
  return (
    <>
      <PageHeader title="Settings" />
      <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto">
        <Appearance />
        {HOME === 'local' && <ConnectionsSection />}
        {!isHeld && (
          <>
            {isLocal && <ProjectSection />}
            {desktop !== undefined && <TrustedFolders />}
            {desktop !== undefined && <DesktopSection />}
            {desktop !== undefined && <UpdatesSection />}
            {isLocal && folder !== undefined && <DataSection folder={folder} runtime={runtime ?? undefined} />}
            {runtime !== null && runtime !== undefined && <RuntimeSection runtime={runtime} />}
          </>
        )}
        {(isHeld || isLoading) && <QueryLoading what="the runtime's state" queryKey={query.queryKey} />}
        {runtime === undefined && error !== null && (
          <QueryFault what="the runtime's state" error={error} onRetry={() => void refetch()} />
        )}
        {!isHeld && !isLocal && <HostedSection />}
        {!isHeld && <AboutSection runtime={runtime} />}
      </div>
    </>
  )
}

/** On a hosted connection. The settings of this computer's runtime are shown on local only. */
const HostedSection = () => (
  <Section title="Data">
    <Retention />
    {HOME === 'local' && (
      <p className="text-xs text-faint">
        The project folder, the data folder and the runtime of this computer are in the settings of Local.
      </p>
    )}
  </Section>
)
