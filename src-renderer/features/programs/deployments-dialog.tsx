import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import { Suspense, use, type ReactNode } from 'react'
import type { Deployment } from '../../parts/use-deploy-files.ts'
import { ProgramLink } from '../../parts/links.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visible } from '../../ui/visible.tsx'

/** Lists the files being deployed, and the outcome of each. */
export const DeploymentsDialog = ({
  deployments,
  onClose,
}: {
  readonly deployments: readonly Deployment[]
  readonly onClose: () => void
}) => (
  <Dialog
    onClose={onClose}
    title="Deploy Programs"
    size="small"
    footer={
      <Button kind="primary" onClick={onClose}>
        Close
      </Button>
    }
  >
    <ul aria-label="Files" aria-live="polite" className="flex flex-col gap-3">
      {deployments.map((deployment, index) => (
        <li key={index}>
          <Suspense
            fallback={
              <Line icon={<LoaderCircle size={15} className="animate-spin text-soft" />} name={deployment.name}>
                Deploying
              </Line>
            }
          >
            <Outcome deployment={deployment} onClose={onClose} />
          </Suspense>
        </li>
      ))}
    </ul>
  </Dialog>
)

const Outcome = ({ deployment, onClose }: { readonly deployment: Deployment; readonly onClose: () => void }) => {
  const outcome = use(deployment.outcome)
  if (outcome.kind === 'refused') {
    return (
      <Line icon={<CircleX size={15} className="text-failed" />} name={deployment.name} look="text-failed">
        Not deployed: {visible(outcome.message)}
      </Line>
    )
  }
  const { id, latestVersion } = outcome.program
  return (
    <Line icon={<CircleCheck size={15} className="text-completed" />} name={deployment.name}>
      <span onClick={onClose} role="presentation">
        <ProgramLink id={id} className="font-medium text-ink underline" />
      </span>{' '}
      is deployed as version {latestVersion.number}
      {!latestVersion.runnable && latestVersion.hasEffects && '. Its effects run here only from the project folder'}
    </Line>
  )
}

const Line = ({
  icon,
  name,
  look = 'text-soft',
  children,
}: {
  readonly icon: ReactNode
  readonly name: string
  readonly look?: string
  readonly children: ReactNode
}) => (
  <div className="flex gap-2.5">
    <span className="mt-0.5 shrink-0">{icon}</span>
    <div className="min-w-0">
      <p className="font-mono text-xs break-all">{visible(name)}</p>
      <p className={`break-words ${look}`}>{children}</p>
    </div>
  </div>
)
