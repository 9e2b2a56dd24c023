import { PageHeader } from '../../ui/page-header.tsx'

export const MetricsPage = () => <PageHeader title="Metrics" />
