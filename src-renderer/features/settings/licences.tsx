import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../../ui/dialog.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Loading } from '../../ui/loading.tsx'

type Licence = { readonly name: string; readonly version: string; readonly licence: string; readonly text: string }

/** The build writes this file. */
const readLicences = async (): Promise<readonly Licence[]> => {
  const answer = await fetch('/assets/licences.json')
  if (!answer.ok) throw new Error(`The request for the licences failed with status ${answer.status}`)
  return (await answer.json()) as readonly Licence[]
}

export const Licences = ({ onClose }: { readonly onClose: () => void }) => {
  const { data, error } = useQuery({ queryKey: ['licences'], queryFn: readLicences, retry: false })
  return (
    <Dialog
      onClose={onClose}
      title="Licences"
      size="large"
      description="Workflow Execution Service is under the MIT licence. Its page and its sandbox contain:"
    >
      {data === undefined && error === null && <Loading what="the licences" />}
      {error !== null && <Fault title="The licences could not be loaded" message={error.message} />}
      <ul className="flex flex-col gap-1">
        {data?.map(({ name, version, licence, text }) => (
          <li key={`${name}@${version}`}>
            <details>
              <summary>
                <span className="font-medium">{name}</span> <span className="tabular text-faint">{version}</span>{' '}
                <span className="text-soft">{licence}</span>
              </summary>
              <pre className="my-2 rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap">{text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
