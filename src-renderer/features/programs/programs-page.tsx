import { PageHeader } from '../../ui/page-header.tsx'

export const ProgramsPage = () => <PageHeader title="Programs" />
