/** Metrics of a project, or of one of its Programs. */
export type Scope = { readonly project: string; readonly program: string | null }

/** Keys of the versions in the scope. */
export const VERSIONS = `
  SELECT v.key FROM projects j CROSS JOIN versions v ON v.project = j.key CROSS JOIN programs p ON p.key = v.program
  WHERE j.id = @project AND (@program IS NULL OR p.id = @program)`
