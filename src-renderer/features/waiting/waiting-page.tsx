import { PageHeader } from '../../ui/page-header.tsx'

export const WaitingPage = () => <PageHeader title="Waiting" />
