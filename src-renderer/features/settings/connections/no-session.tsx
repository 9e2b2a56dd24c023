import { useLinkRefusal } from '../../../api/session.ts'
import { Command } from '../../../parts/command.tsx'
import { useCli, useLinkCommand } from '../../../parts/use-started-by.ts'

/** Why this page has no connections to hosted services, and what to do. */
export const NoSession = ({ kind }: { readonly kind: 'no-session' | 'unsupported' }) => {
  const cli = useCli()
  const link = useLinkCommand()
  const refusal = useLinkRefusal()
  if (kind === 'unsupported') {
    return (
      <p>
        The process that serves this page keeps no connections to hosted services. Open the dashboard in the desktop
        app, or with <Command text={`${cli} dev`} />.
      </p>
    )
  }
  return (
    <>
      {refusal !== undefined && (
        <p role="alert" className="mb-2 text-danger">
          {refusal}
        </p>
      )}
      <p>
        In a browser, only pages that were opened by a link may use tokens. Print a link in a terminal, and open it in
        this browser:
      </p>
      <p className="mt-2">
        <Command text={link} />
      </p>
    </>
  )
}
