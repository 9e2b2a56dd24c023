import { PageHeader } from '../../../ui/page-header.tsx'

export const ExecutionsPage = () => <PageHeader title="Executions" />
