import type { ProgramTab } from '../../paths.ts'
import { PageHeader } from '../../ui/page-header.tsx'

export const ProgramPage = ({ id }: { readonly id: string; readonly tab: ProgramTab }) => <PageHeader title={id} />
