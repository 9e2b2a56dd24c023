import type { RuntimeHost, RuntimeStatus } from '#sdk/index.ts'
import { DEFAULT_PORT } from '../../parts/default-address.ts'
import { bytes, count } from '../../parts/format.ts'
import { Ago } from '../../parts/time.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Section } from '../../parts/section.tsx'

/** What the runtime reports about itself. */
export const RuntimeSection = ({ runtime }: { readonly runtime: RuntimeStatus }) => (
  <Section title="Runtime">
    <dl className="grid grid-cols-[fit-content(12rem)_minmax(0,1fr)] gap-x-8 max-sm:gap-x-4 gap-y-1.5">
      <Fact term="Version">{runtime.version}</Fact>
      <Fact term="Address">http://localhost:{runtime.port}</Fact>
      {runtime.port !== DEFAULT_PORT && (
        <Fact term="Environment">
          <EnvironmentLine port={runtime.port} />
        </Fact>
      )}
      <Fact term="Process">{runtime.pid}</Fact>
      <Fact term="Started">
        <Ago at={runtime.startedAt} />
      </Fact>
      <Fact term="Event-loop delay, p99">{runtime.eventLoopDelayP99Ms.toFixed(1)} ms</Fact>
    </dl>
    {runtime.hosts.length > 0 && <Hosts hosts={runtime.hosts} />}
  </Section>
)

const EnvironmentLine = ({ port }: { readonly port: number }) => {
  const line = `SERVICE_RUNTIME_URL=http://localhost:${port}`
  return (
    <span className="inline-flex items-center gap-1 font-mono text-xs break-all">
      {line}
      <CopyButton label="Copy the line" text={line} />
    </span>
  )
}

const Fact = ({ term, children }: { readonly term: string; readonly children: React.ReactNode }) => (
  <>
    <dt className="text-faint">{term}</dt>
    <dd className="tabular break-words">{children}</dd>
  </>
)

const Hosts = ({ hosts }: { readonly hosts: readonly RuntimeHost[] }) => (
  <table aria-label="Child processes" className="mt-1 w-full border-collapse">
    <thead>
      <tr className="text-xs text-faint">
        {['Child process', 'State', 'Tasks', 'Memory', 'PID'].map((header) => (
          <th
            key={header}
            scope="col"
            className="border-b border-line py-1 pr-4 text-left font-medium nth-[n+3]:text-right last:pr-0"
          >
            {header}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {hosts.map((host, index) => (
        <tr key={`${host.pid ?? index}`} className="border-b border-line">
          <th scope="row" className="py-1.5 pr-4 text-left font-normal">
            {host.kind === 'program' ? 'Program host' : 'Effect host'}
            {host.role === 'alone' && <span className="text-faint"> · dedicated</span>}
            {host.kind === 'effect' && (
              <span className="block font-mono text-xs break-all text-faint">{host.folder}</span>
            )}
          </th>
          <td className="pr-4">
            <Badge tone={host.state === 'blocked' ? 'failed' : 'neutral'}>{host.state}</Badge>
          </td>
          <td className="tabular pr-4 text-right">{count(host.busy)}</td>
          <td className="tabular pr-4 text-right">{host.rssBytes === undefined ? '–' : bytes(host.rssBytes)}</td>
          <td className="tabular text-right">{host.pid ?? '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
