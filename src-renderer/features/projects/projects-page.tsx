import { PageHeader } from '../../ui/page-header.tsx'

export const ProjectsPage = () => <PageHeader title="Projects" />
