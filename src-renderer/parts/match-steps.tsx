import { ChevronDown, ChevronUp } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'

/** The buttons beside a search that go from match to match. */
export const MatchSteps = ({ onStep }: { readonly onStep: (by: 1 | -1) => void }) => (
  <>
    <IconButton label="Previous match" small onClick={() => onStep(-1)}>
      <ChevronUp size={14} />
    </IconButton>
    <IconButton label="Next match" small onClick={() => onStep(1)}>
      <ChevronDown size={14} />
    </IconButton>
  </>
)
