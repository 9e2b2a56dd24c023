import { PageHeader } from '../../ui/page-header.tsx'

export const ErrorsPage = () => <PageHeader title="Errors" />
