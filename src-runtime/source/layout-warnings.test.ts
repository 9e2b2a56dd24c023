import { expect, it } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { layoutWarnings } from './layout-warnings.ts'
import { createSourceFiles } from './source-files.ts'

it('takes no time for each pair of modules, of which one is read and the other is not', () => {
  const modules = (ending: string) => Array.from({ length: 100_000 }, (_, index) => `src/${ending}/${index}.${ending}`)
  const files = { ...createSourceFiles(temporaryFolder('layout')), text: () => undefined }
  const config = { path: 'wes.config.ts', programs: ['src/**/*.ts'] }
  const found = { files: modules('ts'), folders: [], unmatched: [], otherEndings: modules('tsx') }
  expect(layoutWarnings(files, config, found)).toEqual([])
})
