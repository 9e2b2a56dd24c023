import { PageHeader } from '../../ui/page-header.tsx'

export const VersionPage = ({ id, number }: { readonly id: string; readonly number: number }) => (
  <PageHeader title={`${id} · version ${number}`} />
)
