import { PageHeader } from '../../ui/page-header.tsx'

export const SettingsPage = () => <PageHeader title="Settings" />
