import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { useCannot } from '../../parts/use-cannot.ts'
import { useDeployFiles } from '../../parts/use-deploy-files.ts'
import { Button } from '../../ui/button.tsx'

/** Opens a file dialog and deploys the chosen artifacts. Users may also drop them on the window. `isFirst`: there are no Programs. */
export const DeployButton = ({ isFirst }: { readonly isFirst: boolean }) => {
  const input = useRef<HTMLInputElement>(null)
  const deploy = useDeployFiles()
  const cannot = useCannot('write')
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        aria-label="Artifacts to deploy"
        onChange={({ currentTarget }) => {
          deploy([...(currentTarget.files ?? [])])
          // Otherwise choosing the same file again would not fire an event.
          currentTarget.value = ''
        }}
      />
      <Button
        kind={isFirst ? 'primary' : 'plain'}
        icon={<Upload size={14} />}
        disabledReason={cannot}
        onClick={() => input.current?.click()}
      >
        Deploy files
      </Button>
    </>
  )
}
