// The environments of a workspace's projects are in no quota. With 200 values of 32 KiB in each of 1,000 projects, one workspace could store 8 GiB.

import type { Migration } from './migration.ts'

/** Sealed values hold a nonce and a tag beside the value. */
const SEAL_BYTES = 28

export const boundedEnvironment: Migration = {
  version: 62,
  sql: `
-- The length of a sealed value before it was sealed.
CREATE FUNCTION wes_unsealed_bytes(sealed text) RETURNS int LANGUAGE sql IMMUTABLE
RETURN octet_length(rtrim(split_part(sealed, ':', 2), '=')) * 3 / 4 - ${SEAL_BYTES};

-- The function of this name without \`most_bytes\`, unless it would set more than \`most\` values, or more bytes of them.
CREATE FUNCTION wes_change_environment(
  ws int, of_project text, names text[], sealed_values text[], removed text[], most int, most_bytes int
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE project_key int; kept bigint; added bigint;
BEGIN
  PERFORM set_config('wes.workspace', ws::text, true);
  SELECT j.key INTO STRICT project_key FROM projects j WHERE j.workspace = ws AND j.id = of_project;
  PERFORM pg_advisory_xact_lock(3, project_key);
  IF cardinality(names) > 0 THEN
    SELECT coalesce(sum(wes_unsealed_bytes(e.sealed)), 0) INTO kept FROM environment e
      WHERE e.project = project_key AND e.name <> ALL (removed) AND e.name <> ALL (names);
    SELECT coalesce(sum(wes_unsealed_bytes(s)), 0) INTO added FROM unnest(sealed_values) AS s;
    IF kept + added > most_bytes THEN RETURN 'too_large'; END IF;
  END IF;
  IF wes_change_environment(ws, of_project, names, sealed_values, removed, most) THEN RETURN 'changed'; END IF;
  RETURN 'too_many';
END $$;
`,
}
