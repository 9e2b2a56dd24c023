import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { useDeployFiles } from '../../parts/use-deploy-files.ts'
import { Button } from '../../ui/button.tsx'

/** Chooses artifacts and deploys them. They may also be dropped on the window. */
export const DeployButton = () => {
  const input = useRef<HTMLInputElement>(null)
  const deploy = useDeployFiles()
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
          // The same file again is another choice.
          currentTarget.value = ''
        }}
      />
      <Button icon={<Upload size={14} aria-hidden="true" />} onClick={() => input.current?.click()}>
        Deploy files
      </Button>
    </>
  )
}
