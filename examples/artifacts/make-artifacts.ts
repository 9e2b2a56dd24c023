// Makes <id>.program.json from the Program src/<id>.js and its manifest src/<id>.json. The output is the same byte for
// byte in every run: node examples/artifacts/make-artifacts.ts

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = join(import.meta.dirname, 'src')

export const artifactIds = (): readonly string[] =>
  readdirSync(SOURCES)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
    .sort()

export const artifactFile = (id: string): string => join(import.meta.dirname, `${id}.program.json`)

export const makeArtifact = (id: string): string => {
  const code = readFileSync(join(SOURCES, `${id}.js`), 'utf8')
  const { description, manifest } = JSON.parse(readFileSync(join(SOURCES, `${id}.json`), 'utf8')) as {
    readonly description: string
    readonly manifest: unknown
  }
  const artifact = { format: 'wes.program/1', id, description, program: { code }, manifest }
  return `${shortArraysOnOneLine(JSON.stringify(artifact, undefined, 2))}\n`
}

/** Formats JSON like the formatter, so that it does not change checked-in files. */
const shortArraysOnOneLine = (json: string): string =>
  json.replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_array, items: string) => `[${items.replace(/,\n\s+/g, ', ')}]`)

if (import.meta.main) {
  for (const id of artifactIds()) {
    writeFileSync(artifactFile(id), makeArtifact(id))
    console.log(`${id}.program.json`)
  }
}
