// Deploys artifacts that the user drops anywhere on the page.

import { Upload } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useDeployFiles } from '../parts/use-deploy-files.ts'

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true

export const DropFiles = () => {
  const [isOver, setOver] = useState(false)
  const deploy = useDeployFiles()
  const onDrop = useEffectEvent((event: DragEvent) => deploy([...(event.dataTransfer?.files ?? [])]))
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    // The browser also fires this event between an element and its child.
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setOver(false)
      onDrop(event)
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [])
  if (!isOver) return null
  return (
    <div className="pointer-events-none fixed inset-3 z-40 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-page/80">
      <p className="flex items-center gap-2 text-base font-semibold">
        <Upload size={18} />
        Drop artifacts (*.program.json) to deploy them
      </p>
    </div>
  )
}
